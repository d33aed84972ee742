import { defineConfig } from "vite";

// Addresses are relative, so that the service may stand behind any prefix; every page stands one level deep.
export default defineConfig({
  base: "./",
  build: {
    assetsDir: "static",
    license: { fileName: "licenses.md" }, // of the packages inside the bundles
    chunkSizeWarningLimit: 8000,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ["graphiql.html", "docs.html", "play.html"] },
  },
  worker: { format: "es" },
});
