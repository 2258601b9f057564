/**
 * Tests run the server's compiled modules in `dist/`, which are what people run. Node loads them by itself: Vite
 * neither transforms nor evaluates them. Test code is transformed as ever. What has changed since the last build is
 * built first.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** What is built. The page is Vite's own, and the client library is built for its package alone. */
const folders = ["actors", "http", "storage"];
const clients = ["http/web/", "http/client/"].map((folder) => join(root, folder));
const isOfClient = (path: string): boolean => clients.some((folder) => path.startsWith(folder));

/**
 * Builds the server anew if a source is newer than what was built. Types are left to `npm run typecheck`, which takes
 * most of a build's time.
 */
export function buildIfOlder(): void {
  const isOld = folders.some((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).some((name) => {
      const source = join(root, folder, name);
      if (!/\.(ts|mjs|sql|bin|txt)$/.test(name) || name.endsWith(".d.ts") || isOfClient(source)) return false;
      const built = builtPath(source);
      return !existsSync(built) || statSync(built).mtimeMs < statSync(source).mtimeMs;
    }),
  );
  if (!isOld) return;
  for (const step of ["node_modules/.bin/tsc -p tsconfig.build.json --noCheck", "node build.mjs"]) {
    const { status } = spawnSync(step, { cwd: root, stdio: "inherit", shell: true });
    if (status !== 0) throw new Error("The server could not be built.");
  }
}

const builtPath = (source: string): string => join(root, "dist", source.slice(root.length).replace(/\.ts$/, ".js"));

/** Has imports of the server's sources find what they were compiled to. For `plugins` of Vite. */
export const builtModules = {
  name: "built modules",
  enforce: "pre" as const,
  resolveId(source: string, importer: string | undefined): string | undefined {
    if (importer === undefined || !/^\.\.?\//.test(source)) return undefined;
    const path = join(importer, "..", source);
    const isBuilt = folders.some((folder) => path.startsWith(join(root, folder, "/"))) && !isOfClient(path);
    return isBuilt ? builtPath(path) : undefined;
  },
};

/** Node loads these itself. For `server.deps.external` of Vitest. */
export const builtFiles = /\/dist\/(?:actors|http|storage)\//;
