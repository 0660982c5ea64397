import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { documents } from "./documents.ts";

// A page below /{stage}/console: addresses in it count from /{stage}/, those in scripts from the script.
function addressesOfThePage(): Plugin {
  return {
    name: "addresses-of-the-page",
    enforce: "post", // Vite writes the addresses of files into the page at the end
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("there is no page");
      page.source = String(page.source).replaceAll('"./assets/', '"./console/assets/').replaceAll(" crossorigin", "");
    },
  };
}

// Compressed once here, not at each request.
function compressed(): Plugin {
  let folder = "";
  return {
    name: "compressed",
    configResolved(config) {
      folder = config.build.outDir;
    },
    closeBundle() {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || /\.(br|gz)$/.test(entry.name)) continue;
        const file = join(entry.parentPath, entry.name);
        const content = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
        const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params: quality }));
      }
    },
  };
}

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    assetsDir: "assets",
    assetsInlineLimit: 0, // the policy of the page allows files only
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    // One file of all that the page needs at first: it compresses better than several.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] } } },
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [documents(), addressesOfThePage(), compressed()],
});
