/**
 * Writes an organization as Zulip's `export` does, while servers go on: everything as it was at one moment. Rows go
 * from PostgreSQL into files as they come, so little is in memory at a time.
 * https://zulip.com/help/export-your-organization
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GroupId, RealmId, UserId } from "../../../storage/ids.ts";
import type { Database, Sql } from "../../../storage/postgres.ts";
import { packFolder } from "../../../storage/transfer/archive.ts";
import { inSnapshot, readReactions, readRows, readSubmessages } from "../../../storage/transfer/export-rows.ts";
import { JsonTablesWriter } from "../../../storage/transfer/json-tables.ts";
import { writeChannels } from "./channel-tables.ts";
import type { StoredFiles } from "./export-files.ts";
import { writeFiles } from "./export-files.ts";
import { type MessageCounts, writeMessages } from "./message-files.ts";
import { writeGroups, writeOrganization } from "./organization-tables.ts";
import { writePeople, writePersonal } from "./people-tables.ts";
import { Recipients } from "./recipients.ts";
import { type ExportType, scopeOf } from "./scope.ts";
import { Clients, type ExportSources, GroupReferences, mapRows } from "./sources.ts";

export interface ExportOptions {
  database: Database;
  realmId: RealmId;
  /** Address of the organization, without a slash at its end. */
  url: string;
  type: ExportType;
  files: StoredFiles;
  progress?(line: string): void;
}

export interface ExportCounts extends MessageCounts {
  uploads: number;
}

/**
 * Writes the export to `path`, a tar file with gzip, whole or not at all. What it is put together in lies beside it
 * meanwhile.
 */
export async function writeExport(path: string, options: ExportOptions): Promise<ExportCounts> {
  const workplace = `${path}.folder`;
  // One that was cut off has left its own.
  await rm(workplace, { recursive: true, force: true });
  const name = "export";
  const folder = join(workplace, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const counts = await inSnapshot(options.database, (sql) => writeFolder(sql, folder, options));
    options.progress?.("Packing");
    await packFolder(workplace, name, path);
    return counts;
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
}

async function writeFolder(sql: Sql, folder: string, options: ExportOptions): Promise<ExportCounts> {
  const { realmId, url, type, files, progress } = options;
  const scope = await scopeOf(sql, realmId, type);
  const recipients = await Recipients.open(sql, realmId, await drafted(sql, realmId));
  const groups = new GroupReferences(await nextFreeGroup(sql, realmId));
  const clients = new Clients();
  const sources: ExportSources = { sql, realmId, url, scope, recipients, groups, clients, previews: new Set() };
  let told = 0;
  const messages = await writeMessages(folder, sources, ({ messages: count }) => {
    if (count < told + tellEvery) return;
    told = count;
    progress?.(`${count} messages`);
  });
  progress?.("Files");
  const uploads = await writeFiles(folder, sources, files);
  progress?.("People, channels and groups");
  const out = new JsonTablesWriter(join(folder, "realm.json"));
  await writeOrganization(out, sources);
  await writePeople(out, sources);
  await writeChannels(out, sources);
  await writePersonal(out, sources);
  await writeGroups(out, sources);
  await out.table(
    "zerver_reaction",
    mapRows(readReactions(sql, realmId, scope.messages), ({ message_id, user_id, ...row }) => ({
      ...row,
      message: message_id,
      user_profile: user_id,
    })),
  );
  await out.table(
    "zerver_submessage",
    mapRows(readSubmessages(sql, realmId, scope.messages), ({ message_id, sender_id, ...row }) => ({
      ...row,
      message: message_id,
      sender: sender_id,
    })),
  );
  await out.table("zerver_client", clients.rows());
  await out.close();
  const lines = Object.entries({ ...messages, uploads }).map(([what, count]) => `${count}\t${what}\n`);
  await writeFile(join(folder, "stats.txt"), lines.join(""));
  return { ...messages, uploads };
}

/** Messages between two reports. */
const tellEvery = 10_000;

/** People of each conversation that a draft or a later message goes to. */
async function drafted(sql: Sql, realmId: RealmId): Promise<UserId[][]> {
  const peoples: UserId[][] = [];
  const note = (writer: UserId, type: string, to: number | readonly number[]) => {
    if (type === "private" && typeof to !== "number" && to.length > 1) peoples.push([writer, ...to]);
  };
  for await (const { user_id, type, to } of readRows(sql, "drafts", realmId)) note(user_id, type, to);
  for await (const { user_id, type, to } of readRows(sql, "scheduled_messages", realmId)) note(user_id, type, to);
  return peoples;
}

async function nextFreeGroup(sql: Sql, realmId: RealmId): Promise<GroupId> {
  let next = 1;
  for await (const { id } of readRows(sql, "user_groups", realmId)) next = Math.max(next, id + 1);
  return next;
}
