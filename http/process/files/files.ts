/** `parley files move` and `parley files check`. */
import { FolderStore } from "../../../storage/files/folder-store.ts";
import { knownFiles } from "../../../storage/files/known-files.ts";
import { moveFile } from "../../../storage/files/move-file.ts";
import { openFiles } from "../../../storage/files/open-files.ts";
import { S3Store } from "../../../storage/files/s3-store.ts";
import { storedPath } from "../../resources/uploads/files.ts";
import type { AdminResult, Values } from "../admin.ts";
import type { Config } from "../config.ts";
import { withEach } from "../homes/command-storage.ts";
import type { RunningStorage } from "../main.ts";

/** Copies of other sites' media are each node's own. */
const ownFolder = "external-content/";
const atOnce = 8;
const tellEvery = 1000;

/** Moves all files to where new ones go, while servers serve. Whatever ends it, it goes on when it is begun again. */
export async function moveFiles(_storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const { to } = values;
  if (to !== "s3" && to !== "folder") throw new Error("Say where to: parley files move --to s3, or --to folder.");
  if (config.s3 === undefined) throw new Error("PARLEY_S3_BUCKET is not set: there is only the folder.");
  if (config.filesGoTo !== to)
    throw new Error(`New files go to ${config.filesGoTo}: set PARLEY_FILES=${to} on all nodes, and here, first.`);
  const [folder, bucket] = [new FolderStore(config.dataDir), new S3Store(config.s3, config.dataDir)];
  const [from, into] = to === "s3" ? [folder, bucket] : [bucket, folder];
  const paths = from.list();
  let [files, bytes] = [0, 0];
  const moveSome = async (): Promise<void> => {
    for (let next = await paths.next(); !next.done; next = await paths.next()) {
      const { path, size } = next.value;
      if (path.startsWith(ownFolder)) continue;
      await moveFile(from, into, path);
      bytes += size;
      if (++files % tellEvery === 0) console.error(`${files} files`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, moveSome));
  return { text: `${files} files with ${bytes} bytes are in the ${nameOf[to]} now.`, data: { to, files, bytes } };
}

const nameOf = { s3: "object store", folder: "folder" };

/** Kinds of files that each have a row. */
const kinds = /^(?:uploads|thumbnails|avatars|emoji|realm|exports)\//;
/** What was drawn of a picture. */
const drawing = /-(?:medium|small|shown|still)$/;
/** A file may be there before its row. */
const freshMs = 86_400_000;
const mostTold = 1000;

/** Compares what the database says with what is there. With `--remove` files go that nothing names for a day. */
export async function checkFiles(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const files = openFiles(config);
  const known = new Map<string, { size: number | undefined; isThere: boolean }>();
  // The files of all databases are together: one that cannot be asked ends this before anything is removed.
  await withEach(storage, config, async ({ database }) => {
    for await (const { path, size } of knownFiles(database.sql, storedPath)) known.set(path, { size, isThere: false });
  });
  const [wrong, nameless]: [string[], string[]] = [[], []];
  let count = 0;
  for await (const { path, size, changedAtMs } of files.list()) {
    count++;
    const row = known.get(path);
    if (row) {
      row.isThere = true;
      if (row.size !== undefined && row.size !== size) wrong.push(path);
      continue;
    }
    const drawnOf = path.replace(/^thumbnails\/(\d+\/[\w-]+?)-(?=\d+x).*$/, "uploads/$1").replace(drawing, "");
    const isFresh = Date.now() - changedAtMs < freshMs;
    if (known.has(drawnOf) || !kinds.test(path) || isFresh) continue;
    nameless.push(path);
    if (values["remove"] === true) await files.remove(path);
  }
  const missing = [...known].filter(([, { isThere }]) => !isThere).map(([path]) => path);
  const told = (what: string, paths: readonly string[]) => [
    `${paths.length} ${what}`,
    ...paths.slice(0, mostTold).map((path) => `  ${path}`),
  ];
  const verb = values["remove"] === true ? "that nothing named, removed" : "that nothing names";
  const lines = [
    `${count} files`,
    ...told("that are missing", missing),
    ...told("of another size than when they came", wrong),
    ...told(verb, nameless),
  ];
  return { text: lines.join("\n"), data: { files: count, missing, wrong_size: wrong, nameless } };
}
