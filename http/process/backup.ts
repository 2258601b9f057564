/** `parley backup` and `parley restore`. */
import { resolve } from "node:path";
import { type BackupCounts, writeBackup } from "../../storage/backup/backup.ts";
import { restoreBackup } from "../../storage/backup/restore.ts";
import { withoutMoves } from "../../storage/directory/move/settle.ts";
import { openFiles } from "../../storage/files/open-files.ts";
import type { Database } from "../../storage/postgres.ts";
import { readSecretKey } from "../../storage/secret-key.ts";
import type { AdminResult } from "./admin.ts";
import type { Config } from "./config.ts";
import { otherHomes } from "./homes/open-homes.ts";
import { openDatabase } from "./main.ts";

type Values = Partial<Record<string, string | boolean>>;

const describe = ({ tables, rows, files }: BackupCounts) =>
  `${rows} rows of ${tables} tables and ${files} uploaded files`;

/** Servers go on meanwhile. @throws Error when the file is there already, or its folder is not */
export async function backUp(
  config: Config,
  file: string,
  _values: Values,
  notify: (line: string) => void,
): Promise<AdminResult> {
  const path = resolve(file);
  // The tables stay as the servers know them.
  const storage = await openDatabase(config, notify, { isGuest: true });
  try {
    if (config.databases !== undefined) return await backUpAll(storage.database, config, path);
    const counts = await writeBackup(storage.database, openFiles(config), path);
    return { text: `${path} has ${describe(counts)}, and was read again.`, data: { file: path, ...counts } };
  } finally {
    await storage.close();
  }
}

/** One file for each database; the first one's has all uploads. */
async function backUpAll(first: Database, config: Config, path: string): Promise<AdminResult> {
  // An organization that moved meanwhile would be in both backups, or in neither.
  const files = await withoutMoves(first, async () => {
    const done = [{ file: path, ...(await writeBackup(first, openFiles(config), path)) }];
    for (const { name, database } of otherHomes(config, {}, await readSecretKey(config))) {
      const file = `${path}.${name}`;
      done.push({ file, ...(await writeBackup(database, undefined, file).finally(() => database.close())) });
    }
    return done;
  });
  const lines = files.map(({ file, ...counts }) => `${file} has ${describe(counts)}, and was read again.`);
  return { text: lines.join("\n"), data: { files } };
}

/** Servers have to be stopped before. @throws NotEmpty unless there is nothing, or `--force` was said */
export async function restore(
  config: Config,
  file: string,
  values: Values,
  notify: (line: string) => void,
): Promise<AdminResult> {
  const path = resolve(file);
  const storage = await openDatabase(config, notify, { applicationName: "parley-restore" });
  const { database: name } = values;
  const [other] = typeof name === "string" ? otherHomes(config, {}, await readSecretKey(config), [name]) : [];
  try {
    if (name !== undefined && !other) throw new Error(`PARLEY_DATABASES names no ${name}.`);
    const counts = await restoreBackup((other ?? storage).database, openFiles(config), path, {
      isForced: values["force"] === true,
      renewsKeys: values["new-keys"] === true,
    });
    return { text: `The database has ${describe(counts)} from ${path}.`, data: { file: path, ...counts } };
  } finally {
    await other?.database.close();
    await storage.close();
  }
}
