// Removes the native HTTP servers of other platforms, which their packages bring: `node prune.mjs [NODE_MODULES]`.
// Those for every Node that is supported stay, so that another Node needs no other install.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** What `process.versions.modules` is on Node 20, 22 and 24. */
const nodeAbis = ["115", "127", "137"];
/** Where each package keeps its servers, and the folder of it from which http/server/builds/uws.ts loads them. */
const packages = [
  { name: "@btc-vision/uwebsockets.js", loaded: "." },
  { name: "uWebSockets.js", loaded: "binaries" },
];

const root = process.argv[2] ?? join(import.meta.dirname, "node_modules");
const wanted = new Set(nodeAbis.map((abi) => `uws_${process.platform}_${process.arch}_${abi}.node`));
for (const { name, loaded } of packages) {
  // They are optional: a platform for which there is none goes without.
  if (!existsSync(join(root, name))) continue;
  for (const folder of [".", "binaries", "dist"].map((part) => ({ part, path: join(root, name, part) }))) {
    if (!existsSync(folder.path)) continue;
    for (const file of readdirSync(folder.path))
      if (/^uws_\w+\.node$/.test(file) && !(folder.part === loaded && wanted.has(file)))
        rmSync(join(folder.path, file));
  }
}
