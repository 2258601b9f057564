/** `npm ci` keeps the native HTTP servers that this platform may run, and no others. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const here = `${process.platform}_${process.arch}`;

it("keeps a build for each supported Node of this platform, where it is loaded from", async () => {
  const modules = await mkdtemp(join(tmpdir(), "parley-prune-"));
  folders.push(modules);
  const targets = ["plan9_x64_115", "plan9_mips_127", `${here}_93`, `${here}_115`, `${here}_127`, `${here}_137`];
  const names = targets.map((target) => `uws_${target}.node`);
  const others = ["@btc-vision/uwebsockets.js/uws.js", "uWebSockets.js/dist/uws.js", "else/uws_plan9_x64_115.node"];
  for (const path of [
    ...names.flatMap((name) => [
      `@btc-vision/uwebsockets.js/${name}`,
      `uWebSockets.js/binaries/${name}`,
      `uWebSockets.js/dist/${name}`,
    ]),
    ...others,
  ]) {
    await mkdir(dirname(join(modules, path)), { recursive: true });
    await writeFile(join(modules, path), "");
  }
  execFileSync(process.execPath, [join(import.meta.dirname, "../prune.mjs"), modules]);
  const left = (await readdir(modules, { recursive: true })).filter((path) => /\.(node|js)$/.test(path));
  const kept = names.slice(3);
  const packages = ["@btc-vision/uwebsockets.js", "uWebSockets.js/binaries"];
  const files = left.filter((path) => !/uwebsockets\.js$/i.test(path));
  expect(files.sort()).toEqual(
    [...packages.flatMap((folder) => kept.map((name) => `${folder}/${name}`)), ...others].sort(),
  );
});
