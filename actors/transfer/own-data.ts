/**
 * One person's own data, for them: what they wrote, what they keep and have chosen, and the files that they uploaded.
 * What others wrote is not in it.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../storage/postgres.ts";
import type { UserRow } from "../../storage/rows.ts";
import { packFolder } from "../../storage/transfer/archive.ts";
import { inSnapshot } from "../../storage/transfer/export-rows.ts";
import { JsonTablesWriter } from "../../storage/transfer/json-tables.ts";
import { ownTables, readOwnRows } from "../../storage/transfer/own-rows.ts";
import { shownUserSettings } from "../users/settings/setting-values.ts";
import type { StoredFiles } from "./zulip-export/export-files.ts";

/** Writes a tar file with gzip, whole or not at all. Returns how many rows of each kind it has. */
export async function writeOwnData(
  path: string,
  user: UserRow,
  { database, files: { files, storedUpload } }: { database: Database; files: StoredFiles },
): Promise<Record<string, number>> {
  const workplace = `${path}.folder`;
  await rm(workplace, { recursive: true, force: true });
  const folder = join(workplace, "own-data");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const counts: Record<string, number> = {};
    await inSnapshot(database, async (sql) => {
      const out = new JsonTablesWriter(join(folder, "data.json"));
      await out.table("account", [accountOf(user)]);
      for (const table of ownTables) counts[table] = await out.table(table, readOwnRows(sql, table, user.id));
      await out.close();
      for await (const { path_id, quarantined_at } of readOwnRows(sql, "uploads", user.id))
        if (quarantined_at === null)
          await files.copyTo(storedUpload(String(path_id)), join(folder, "uploads", String(path_id)));
      if (user.avatar_source === "U" && user.avatar_path !== null)
        await files.copyTo(`avatars/${user.realm_id}/${user.avatar_path}`, join(folder, "picture"));
    });
    await packFolder(workplace, "own-data", path);
    return counts;
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
}

function accountOf(user: UserRow): object {
  return {
    user_id: user.id,
    full_name: user.full_name,
    email: user.delivery_email,
    role: user.role,
    is_active: user.is_active,
    date_joined: user.date_joined,
    first_login_at: user.first_login_at,
    timezone: user.timezone,
    profile_data: user.profile_data,
    status: user.status,
    alert_words: user.alert_words,
    settings: shownUserSettings(user),
  };
}
