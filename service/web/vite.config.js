import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

// Writes a .gz and a .br beside every file that becomes smaller by it; the service sends the one that the browser accepts.
const compress = {
  name: "compress",
  apply: "build",
  closeBundle() {
    const folder = join(this.environment.config.build.outDir, "static");
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (/\.(gz|br)$/.test(name) || statSync(file).size < 1000) continue;
      const data = readFileSync(file);
      const forms = { gz: gzipSync(data, { level: 9 }), br: brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }) };
      for (const [form, bytes] of Object.entries(forms)) if (bytes.length < data.length) writeFileSync(`${file}.${form}`, bytes);
    }
  },
};

// Addresses are relative, so that the service may stand behind any prefix; every page stands one level deep.
export default defineConfig({
  base: "./",
  build: {
    assetsDir: "static",
    license: { fileName: "licenses.md" }, // of the packages inside the bundles
    chunkSizeWarningLimit: 8000,
    modulePreload: { polyfill: false },
    target: "es2023",
    // Pages that the service renders itself name these two files, so their names hold no digest.
    rollupOptions: {
      input: { graphiql: "graphiql.html", docs: "docs.html", table: "table.html", rules: "src/rules.ts", site: "site.css" },
      output: {
        entryFileNames: ({ name }) => (name === "rules" ? "static/rules.js" : "static/[name]-[hash].js"),
        assetFileNames: ({ names }) => (names[0] === "site.css" ? "static/site.css" : "static/[name]-[hash][extname]"),
      },
    },
  },
  worker: { format: "es" },
  plugins: [compress],
});
