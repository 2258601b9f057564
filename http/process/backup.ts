/** `parley backup` and `parley restore`. */
import { resolve } from "node:path";
import { type BackupCounts, writeBackup } from "../../storage/backup/backup.ts";
import { restoreBackup } from "../../storage/backup/restore.ts";
import { openFiles } from "../../storage/files/open-files.ts";
import type { AdminResult } from "./admin.ts";
import type { Config } from "./config.ts";
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
    const counts = await writeBackup(storage.database, openFiles(config), path);
    return { text: `${path} has ${describe(counts)}, and was read again.`, data: { file: path, ...counts } };
  } finally {
    await storage.close();
  }
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
  try {
    const counts = await restoreBackup(storage.database, openFiles(config), path, {
      isForced: values["force"] === true,
      renewsKeys: values["new-keys"] === true,
    });
    return { text: `The database has ${describe(counts)} from ${path}.`, data: { file: path, ...counts } };
  } finally {
    await storage.close();
  }
}
