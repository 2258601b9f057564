/**
 * Builds the page into `dist/http/web/built`. Files are named by their content, and each has two compressed forms
 * beside it, so the server compresses nothing.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { manifests } from "./languages/manifests.ts";

const workerSource = join(import.meta.dirname, "service-worker.ts");
const outDir = "../../dist/http/web/built";
const isText = /\.(?:js|css|html|svg|json)$/;

/** Lists the files that the worker keeps: all of the page but fonts of formulas. */
const listed: Plugin = {
  name: "listed",
  apply: "build",
  closeBundle() {
    const folder = join(import.meta.dirname, outDir);
    const files = readdirSync(folder).filter((file) => /-[\w-]{8}\.(?:js|css|png)$/.test(file));
    writeFileSync(join(folder, "files.json"), JSON.stringify(files.map((file) => `/static/web/${file}`)));
  },
};

const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  closeBundle() {
    const folder = join(import.meta.dirname, outDir);
    for (const name of readdirSync(folder).filter((file) => isText.test(file))) {
      const bytes = readFileSync(join(folder, name));
      writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }));
    }
  },
};

/** Writes the manifest in the other languages. */
const translated: Plugin = {
  name: "translated",
  apply: "build",
  generateBundle() {
    const english = JSON.parse(readFileSync(join(import.meta.dirname, "public/parley.webmanifest"), "utf8"));
    for (const [fileName, source] of manifests(english)) this.emitFile({ type: "asset", fileName, source });
  },
};

/** Keeps one format of the fonts for formulas: every browser of this decade reads it. */
const onlyWoff2: Plugin = {
  name: "only-woff2",
  enforce: "pre",
  transform(code, id) {
    if (!id.includes("katex") || !id.includes(".css")) return undefined;
    return code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, "");
  },
};

/**
 * `:dir()` stays as written. Otherwise it becomes a list of languages, which tells nothing of a name's own direction.
 * The number is `DirSelector` in https://docs.rs/lightningcss/latest/lightningcss/targets/struct.Features.html
 */
const asWritten = 4;

export default defineConfig({
  css: { lightningcss: { exclude: asWritten } },
  base: "/static/web/",
  plugins: [onlyWoff2, translated, listed, compressed],
  build: {
    outDir,
    emptyOutDir: true,
    assetsDir: "",
    assetsInlineLimit: 0,
    target: "es2022",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // What is slow is the compression above, which is worth its time.
      checks: { pluginTimings: false },
      input: { index: join(import.meta.dirname, "index.html"), "service-worker": workerSource },
      // Browsers fetch the worker again under the same name.
      output: {
        entryFileNames: ({ name }) => (name === "service-worker" ? "[name].js" : "[name]-[hash].js"),
        // The worker keeps files of the language that is spoken, and knows them by these names.
        chunkFileNames: ({ facadeModuleId }) => {
          const language = /\/languages\/([\w-]+)\/\w+\.ts$/.exec(facadeModuleId ?? "")?.[1];
          return language ? `language.${language}.[name]-[hash].js` : "[name]-[hash].js";
        },
      },
    },
  },
});
