/** The files of an export: what people uploaded, pictures of people, of emoji and of the organization. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { FileStore } from "../../../storage/files/file-store.ts";
import { type ExportedAttachment, readAttachments, readRows } from "../../../storage/transfer/export-rows.ts";
import { JsonTablesWriter } from "../../../storage/transfer/json-tables.ts";
import { realmPictures } from "../../organization/changes/pictures.ts";
import type { ExportSources } from "./sources.ts";

/** Where the bytes of uploads, pictures and exports are. */
export interface StoredFiles {
  files: FileStore;
  /** Where those of an upload are. */
  storedUpload(pathId: string): string;
  /** Removes a file, and what was drawn of it. */
  remove(path: string): Promise<void>;
}

declare module "../../realm/environment.ts" {
  interface RealmEnvironment {
    /** Where uploads and the like are; undefined: this process keeps none, and writes no exports. */
    storedFiles?: StoredFiles | undefined;
  }
}

interface Target {
  folder: string;
  sources: ExportSources;
  /** Copies a stored file, if it is there. */
  give(stored: string, path: string): Promise<boolean>;
}

/** Returns how many uploads there are. */
export async function writeFiles(
  folder: string,
  sources: ExportSources,
  { files, storedUpload }: StoredFiles,
): Promise<number> {
  const target: Target = { folder, sources, give: (stored, path) => files.copyTo(stored, join(folder, path)) };
  const count = await writeUploads(target, storedUpload);
  await writePictures(target);
  return count;
}

async function writeUploads(
  { folder, sources, give }: Target,
  storedUpload: StoredFiles["storedUpload"],
): Promise<number> {
  const { sql, realmId, scope } = sources;
  const attachments = new JsonTablesWriter(join(folder, "attachment.json"));
  attachments.begin("zerver_attachment");
  const images: object[] = [];
  let count = 0;
  await withRecords(folder, "uploads", async (records) => {
    for await (const row of readAttachments(sql, realmId, scope.messages)) {
      await attachments.row(attachmentRow(row, sources));
      if (row.image) images.push({ path_id: row.path_id, realm: realmId, image: row.image });
      count++;
      if (row.quarantined_at !== null) continue;
      if (!(await give(storedUpload(row.path_id), join("uploads", row.path_id)))) continue;
      await records.row({
        path: row.path_id,
        s3_path: row.path_id,
        realm_id: realmId,
        user_profile_id: row.owner_id,
        file_name: row.file_name,
        size: row.size,
        last_modified: row.create_time,
        content_type: row.content_type,
      });
    }
  });
  await attachments.table("parley_attachment", images);
  await attachments.close();
  return count;
}

/** Pictures of people, of emoji, of the organization and of pages that messages link to. */
async function writePictures({ folder, sources, give }: Target): Promise<void> {
  const { sql, realmId } = sources;
  await withRecords(folder, "avatars", async (records) => {
    for await (const { id, avatar_source, avatar_path } of readRows(sql, "users", realmId)) {
      if (avatar_source !== "U" || avatar_path === null) continue;
      for (const end of [".png", ".original"]) {
        const path = `${realmId}/${id}${end}`;
        if (await give(`avatars/${realmId}/${avatar_path}`, join("avatars", path)))
          await records.row({ path, s3_path: path, realm_id: realmId, user_profile_id: id });
      }
    }
  });
  await withRecords(folder, "emoji", async (records) => {
    for await (const row of readRows(sql, "realm_emoji", realmId)) {
      const path = `${realmId}/emoji/images/${row.file_name}`;
      if (await give(`emoji/${realmId}/${row.file_name}`, join("emoji", path)))
        await records.row({
          path,
          s3_path: path,
          realm_id: realmId,
          name: row.name,
          author: row.author_id,
          file_name: row.file_name,
          deactivated: row.deactivated,
        });
    }
  });
  await withRecords(folder, "realm_icons", async (records) => {
    for await (const { settings } of readRows(sql, "realms", realmId))
      for (const kind of realmPictures) {
        const file = settings[`${kind}_file`];
        if (file === undefined) continue;
        for (const end of [".original", ".png"]) {
          const path = `${realmId}/${kind}${end}`;
          if (await give(`realm/${realmId}/${file}`, join("realm_icons", path)))
            await records.row({ path, s3_path: path, realm_id: realmId });
        }
      }
  });
  await withRecords(folder, "link_previews", async (records) => {
    for (const name of [...sources.previews].sort())
      if (await give(`link-previews/${realmId}/${name}`, join("link_previews", name)))
        await records.row({ path: name, s3_path: name, realm_id: realmId });
  });
}

function attachmentRow(row: ExportedAttachment, { realmId }: ExportSources): object {
  return {
    id: row.id,
    realm: realmId,
    owner: row.owner_id,
    file_name: row.file_name,
    path_id: row.path_id,
    size: row.size,
    content_type: row.content_type,
    create_time: row.create_time,
    is_realm_public: null,
    is_web_public: null,
    messages: row.message_ids,
    scheduled_messages: [],
  };
}

/** Has `body` list what is in one of the folders. */
async function withRecords(
  folder: string,
  kind: string,
  body: (records: JsonTablesWriter) => Promise<void>,
): Promise<void> {
  await mkdir(join(folder, kind), { recursive: true });
  const records = new JsonTablesWriter(join(folder, kind, "records.json"));
  records.beginList();
  await body(records);
  await records.close();
}
