/** Reads exports whole, to compare them. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { openArchive } from "../../../storage/transfer/archive.ts";

type Row = Record<string, unknown>;
export type Tables = Record<string, Row[]>;

/** All tables of all files of an export, and names and sizes of its other files. */
export async function readExport(file: string): Promise<Tables> {
  const archive = await openArchive(file);
  try {
    const tables: Tables = {};
    const names = await readdir(archive.folder, { recursive: true });
    for (const name of names.filter((one) => one.endsWith(".json")).sort()) {
      const read = JSON.parse(await readFile(join(archive.folder, name), "utf8")) as Tables | Row[];
      const found = Array.isArray(read) ? { [name]: read } : read;
      for (const [table, rows] of Object.entries(found)) (tables[table] ??= []).push(...rows);
    }
    return tables;
  } finally {
    await archive.close();
  }
}

/** Tables whose ids others refer to, by the columns that do. */
const references: Readonly<Record<string, readonly string[]>> = {
  zerver_realm: ["realm", "realm_id", "realm_for_sharding"],
  zerver_userprofile: [
    "user_profile",
    "sender",
    "owner",
    "author",
    "creator",
    "user",
    "bot_owner",
    "bot_profile",
    "muted_user",
    "user_profile_id",
  ],
  zerver_stream: [
    "stream",
    "default_sending_stream",
    "default_events_register_stream",
    "moderation_request_channel",
    "new_stream_announcements_stream",
  ],
  zerver_message: ["message", "reminder_target_message_id"],
  zerver_recipient: ["recipient", "recipient_id"],
  zerver_usergroup: ["user_group", "supergroup", "subgroup", "usergroup_ptr"],
  zerver_channelfolder: ["folder"],
  zerver_customprofilefield: ["field"],
  zerver_client: ["sending_client"],
};
const secrets = new Set([
  "uuid",
  "path",
  "path_id",
  "s3_path",
  "file_name",
  "url",
  "email",
  "huddle_hash",
  "token",
  "string_id",
]);

/** The rows under ranks instead of ids: what two exports of equal organizations have in common. */
export function withoutIds(tables: Tables): Tables {
  const ranks = new Map<string, Map<unknown, number>>();
  const people = [...(tables["zerver_userprofile"] ?? []), ...(tables["zerver_userprofile_crossrealm"] ?? [])];
  for (const [table, columns] of Object.entries(references)) {
    const rows = table === "zerver_userprofile" ? people : (tables[table] ?? []);
    const ranked = new Map(rows.map(({ id }, rank) => [id, rank]));
    for (const column of columns) ranks.set(column, ranked);
  }
  const groupRanks = ranks.get("user_group")!;
  const plain = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
        if (name === "id" || secrets.has(name)) return [];
        if (name === "type_id") {
          const of = ["", "user_profile", "stream", "recipient"][row["type"] as number]!;
          return [[name, ranks.get(of)!.get(value)]];
        }
        if (/_group$|_groups$/.test(name) && name !== "user_group") return [[name, groupRanks.get(value) ?? value]];
        if (Array.isArray(value) && typeof value[0] === "number") {
          const known = ranks.get({ messages: "message", streams: "stream" }[name] ?? "user_profile")!;
          return [[name, value.map((id) => known.get(id))]];
        }
        if (typeof value === "string") return [[name, plainText(value)]];
        const known = ranks.get(name);
        // System bots have recipients, and no rows of them.
        return [[name, known?.get(value) ?? (known && typeof value === "number" ? "unknown" : value)]];
      }),
    );
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [
      table,
      rows.map(plain).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    ]),
  );
}

const plainText = (text: string): string =>
  text
    .replace(/(user_uploads\/)\d+\/[0-9a-f]{2}\/[\w-]{24}/g, "$1FILE")
    .replace(/\b[0-9a-f]{24,}\b/g, "RANDOM")
    .replace(/\d{8}|\b\d{1,4}\b/g, "N");
