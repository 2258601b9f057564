/**
 * The ways by which Parley is installed: from its sources, with and without development packages, and as a package.
 * Each ends with a server that starts, on a PostgreSQL of its own. Where this is root, one is another account's. What
 * npm's cache has is taken from there. `PARLEY_INSTALL_NODES=22,24` starts each on these Nodes as well.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../storage/embedded-postgres/port.ts";
import { dataFolder } from "./support/server/folder.ts";
import { startServerProcess } from "./support/server/server-process.ts";

interface Account {
  uid: number;
  gid: number;
}

const root = resolve(import.meta.dirname, "..");
const otherNodes = (process.env["PARLEY_INSTALL_NODES"] ?? "").split(",").filter((version) => version !== "");
/** What only a build needs, by one package of each kind. */
const buildOnly = ["typescript", "vite", "preact", "@types/node", "playwright-core"];

const hasRegistry = spawnSync("npm", ["view", "typescript", "version", "--prefer-online", "--fetch-retries=0"]);

/** Of an install, which asks a registry for hundreds of packages and builds. */
const timeout = 900_000;

describe.skipIf(hasRegistry.status !== 0)("an install (skipped where no npm registry answers)", { timeout }, () => {
  const folders: string[] = [];
  const nodes = [process.execPath];
  let tarball: string;

  beforeAll(async () => {
    for (const version of otherNodes) {
      const folder = await newFolder();
      npm(["install", "--prefix", folder, `node@${version}`], folder);
      nodes.push(join(folder, "node_modules/node/bin/node"));
    }
  }, timeout);
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  it("by `npm ci` serves, and has what `npm test` needs", async () => {
    const folder = await sources();
    npm(["ci"], folder);
    expect(packagesOf(folder, buildOnly)).toEqual(buildOnly);
    await expectToServe(folder);
  });

  it("by `npm ci --omit=dev` serves, without compiler, bundler, types and benches, runs a command, and packs", async () => {
    const folder = await sources();
    npm(["ci", "--omit=dev"], folder);
    expect(packagesOf(folder, buildOnly)).toEqual([]);
    expect((await readdir(join(folder, "dist"))).sort()).toEqual(["actors", "docs", "http", "storage"]);
    expect(await readFile(join(folder, "package-lock.json"), "utf8")).toBe(
      await readFile(join(root, "package-lock.json"), "utf8"),
    );
    await expectToServe(folder);
    const cli = join(folder, "dist/http/process/cli.js");
    const built = (await stat(cli)).mtimeMs;
    const npx = spawnSync("npx", ["parley", "--version"], {
      cwd: folder,
      env: { ...outside, ...ofNpm },
      encoding: "utf8",
    });
    expect([npx.status, npx.stdout]).toEqual([0, expect.stringMatching(/^parley \d/)]);
    // A server may be running of it.
    expect((await stat(cli)).mtimeMs).toBe(built);
    npm(["pack"], folder);
    tarball = join(folder, (await readdir(folder)).find((name) => name.endsWith(".tgz"))!);
  });

  it("by `NODE_ENV=production npm ci`, of an account with few rights, serves", async () => {
    const account = fewRights();
    const folder = await sources();
    if (account !== undefined) {
      await cacheFor(folder);
      spawnSync("chown", ["-R", `${account.uid}:${account.gid}`, folder]);
    }
    npm(["ci"], folder, { account, environment: { NODE_ENV: "production" } });
    expect(packagesOf(folder, buildOnly)).toEqual([]);
    await expectToServe(folder, { account });
  });

  it("of the package by `npm install --global` serves, and brings no sources", async () => {
    const prefix = await newFolder();
    npm(["install", "--global", "--prefix", prefix, tarball], prefix);
    const installed = join(prefix, "lib/node_modules/parley");
    expect(packagesOf(installed, buildOnly)).toEqual([]);
    expect(await readdir(installed)).not.toEqual(expect.arrayContaining(["test"]));
    await expectToServe(installed, { command: [join(prefix, "bin/parley")] });
  });

  it("of the package by `npx` serves", async () => {
    const folder = await newFolder();
    const command = ["npx", "--yes", "--prefer-offline", `--package=${tarball}`, "parley"];
    await expectToServe(folder, { command });
  });

  async function newFolder(): Promise<string> {
    const folder = await dataFolder("install");
    folders.push(folder);
    return folder;
  }

  /** The sources as a clone has them. */
  async function sources(): Promise<string> {
    const folder = await newFolder();
    const left = new Set(["node_modules", "dist", "var", ".git"]);
    await cp(root, folder, { recursive: true, filter: (path) => !left.has(relative(root, path)) });
    return folder;
  }

  /** Starts what was installed, asks it for its page, and stops it. */
  async function expectToServe(
    folder: string,
    { account, command }: { account?: Account | undefined; command?: string[] } = {},
  ): Promise<void> {
    const cli = join(folder, "dist/http/process/cli.js");
    for (const parley of command === undefined ? nodes.map((node) => [node, cli]) : [command]) {
      const data = await newFolder();
      if (account !== undefined) spawnSync("chown", [`${account.uid}:${account.gid}`, data]);
      const environment = { PORT: String(await freePort()), PARLEY_DATA_DIR: join(data, "var"), HOME: data };
      const server = await startServerProcess({ ...outside, ...ofNpm, ...environment }, [...parley, "serve"], account);
      const page = await fetch(`${server.url}/login/`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Parley")]);
      expect((await fetch(`${server.url}/`)).status).toBe(200);
      // With its descendants: npx passes no signals on.
      await server.kill({ withDatabase: true });
    }
  }
});

const ofNpm: Record<string, string> = {
  npm_config_prefer_offline: "true",
  npm_config_loglevel: "error",
  // These ask the registry for what no case is about.
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
};

/** The environment without what the test runner and the npm that started it put there. */
const outside = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|VITEST)/.test(name)),
);

/** Runs npm in `folder`. @throws Error with what it printed, if it fails */
function npm(
  args: string[],
  folder: string,
  { account, environment }: { account?: Account | undefined; environment?: Record<string, string> } = {},
): void {
  const own = account && { HOME: folder, npm_config_cache: join(folder, ".npm") };
  const { status, stdout, stderr } = spawnSync("npm", args, {
    ...account,
    cwd: folder,
    env: { ...outside, ...ofNpm, ...own, ...environment },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} ended with ${status}:\n${stdout}\n${stderr}`);
}

/** Which of the packages are installed in a folder. */
function packagesOf(folder: string, names: readonly string[]): string[] {
  return names.filter((name) => existsSync(join(folder, "node_modules", name)));
}

/** An account that is not root, where this is. */
function fewRights(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout));
  return { uid: uid!, gid: gid! };
}

/** Copies what this account's npm cache has of the lock file into `folder`/.npm: another account may not read it. */
async function cacheFor(folder: string): Promise<void> {
  const cache = spawnSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).stdout.trim();
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { integrity?: string }>;
  };
  for (const { integrity } of Object.values(packages)) {
    const [algorithm, digest] = integrity?.split("-") ?? [];
    if (algorithm === undefined || digest === undefined) continue;
    const hex = Buffer.from(digest, "base64").toString("hex");
    const path = join("_cacache/content-v2", algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
    if (!existsSync(join(cache, path))) continue;
    const copy = join(folder, ".npm", path);
    await mkdir(dirname(copy), { recursive: true });
    await cp(join(cache, path), copy);
    await chmod(copy, 0o644);
  }
}
