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
    rollupOptions: { input: ["graphiql.html", "docs.html", "table.html"] },
  },
  worker: { format: "es" },
  plugins: [compress],
});
