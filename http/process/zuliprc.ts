/** `owner.zuliprc`: the owner's key as Zulip clients read it, left in the data folder by the first start. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolderDurably, removeUnfinished, writeDurably } from "../../storage/durable-file.ts";
import type { Sql } from "../../storage/postgres.ts";
import { findOwnerCredentials } from "../../storage/users/credentials.ts";

export const zuliprcIn = (dataDir: string): string => join(dataDir, "owner.zuliprc");
const textOf = (email: string, key: string, site: string) => `[api]\nemail=${email}\nkey=${key}\nsite=${site}\n`;

/** Writes it; it is on the disk when this resolves. Returns its path. */
export async function writeZuliprc(dataDir: string, email: string, key: string, site: string): Promise<string> {
  const path = zuliprcIn(dataDir);
  await makeFolderDurably(dataDir, 0o755);
  await writeDurably(path, textOf(email, key, site), { mode: 0o600 });
  return path;
}

/** Writes one anew that a power cut left empty or in part. One that is not there was taken away by its owner. */
export async function repairZuliprc(sql: Sql, dataDir: string, site: string): Promise<void> {
  const path = zuliprcIn(dataDir);
  // File systems put zeros for what they had not written yet.
  const text = (await readFile(path, "utf8").catch(() => undefined))?.replace(/\0+$/, "");
  const owner = text === undefined ? undefined : await findOwnerCredentials(sql);
  if (text === undefined || !owner) return;
  const whole = textOf(owner.email, owner.api_key, site);
  // Anything but the beginning of what was to be written is somebody's own.
  if (text === whole || !whole.startsWith(text)) return;
  await writeZuliprc(dataDir, owner.email, owner.api_key, site);
  await removeUnfinished(path);
}
