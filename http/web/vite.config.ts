/**
 * Builds the page: files named by their content, each beside its two compressed forms, so that the server has only to
 * hand them out. The server's own folder keeps them: `dist/http/web/built`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const outDir = "../../dist/http/web/built";
const isText = /\.(?:js|css|html|svg|json)$/;

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

/** Of the fonts for formulas, the one kind that every browser of this decade takes. */
const onlyWoff2: Plugin = {
  name: "only-woff2",
  enforce: "pre",
  transform(code, id) {
    if (!id.includes("katex") || !id.includes(".css")) return undefined;
    return code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, "");
  },
};

export default defineConfig({
  base: "/static/web/",
  plugins: [onlyWoff2, compressed],
  build: {
    outDir,
    emptyOutDir: true,
    assetsDir: "",
    assetsInlineLimit: 0,
    target: "es2022",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
