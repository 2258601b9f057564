/** Imports uploads, avatars and custom emoji: it chooses their new places, and copies their bytes. */
import { createHmac } from "node:crypto";
import { basename, extname } from "node:path";
import { defined } from "../../../storage/failures.ts";
import type { FileStore } from "../../../storage/files/file-store.ts";
import type { AttachmentId, RealmId } from "../../../storage/ids.ts";
import type { BulkRow } from "../../../storage/transfer/imports.ts";
import { emojiUrl } from "../../organization/changes/emoji.ts";
import { realmPictures } from "../../organization/changes/pictures.ts";
import { imageType } from "../../users/changes/avatars.ts";
import type { ZulipExport } from "./export.ts";
import type { IdMaps } from "./ids.ts";
import type { OldEmojiId, OldUserId } from "./tables.ts";

/** The server's names of stored files. */
export interface FilePlaces {
  files: FileStore;
  /** Address of a new upload below `/user_uploads/`. */
  uploadPath(realmId: RealmId, random: Buffer, fileName: string): string;
  /** The stored file of an upload. */
  storedUpload(pathId: string): string;
  contentType(fileName: string, declared: string): string;
  /** Now, in UNIX seconds, where uploads are looked at before anybody may read them; else null. */
  quarantinedAt: number | null;
  /** Whether a picture has several frames. */
  moves(bytes: Buffer): boolean;
}

const randomBytes = 19;

/** What there is of the pictures that an export names. */
export interface StoredPictures {
  /** Old ids of people whose pictures there are. */
  avatars: ReadonlySet<OldUserId>;
  /** Emoji that move. */
  animated: ReadonlySet<OldEmojiId>;
  /** Of the organization: settings with the names of files. */
  realm: Readonly<Record<string, string>>;
}

const pictureEndings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
};

export class ImportedFiles {
  constructor(
    private readonly from: ZulipExport,
    private readonly places: FilePlaces,
    private readonly ids: Pick<IdMaps, "realm" | "users" | "emoji">,
    /** The import's secret. Names made with it are the same when an import goes on, and cannot be guessed. */
    private readonly secret: string,
  ) {}

  /** Old path of an upload → new one. */
  uploadPaths(): Map<string, string> {
    return new Map(
      this.from.attachments.map(({ path_id, file_name }) => {
        const random = this.#random(`upload:${path_id}`).subarray(0, randomBytes);
        return [path_id, this.places.uploadPath(this.ids.realm, random, file_name)];
      }),
    );
  }

  /** The new path of an account's avatar, by its old id. */
  avatarPath(userId: OldUserId): string {
    return `${this.ids.users.get(userId)}/${this.#random(`avatar:${userId}`).toString("hex").slice(0, 32)}`;
  }

  /** The new file name of an emoji's picture. */
  emojiFileName(id: OldEmojiId, fileName: string): string {
    const ending = extname(fileName).toLowerCase();
    return `${this.#random(`emoji:${id}`).toString("hex").slice(0, 24)}${/^\.[a-z0-9]{1,5}$/.test(ending) ? ending : ""}`;
  }

  /** The address of each emoji's picture, by its old file name. */
  emojiUrls(): Map<string, string> {
    return new Map(
      this.from
        .rows("zerver_realmemoji")
        .map(({ id, file_name }) => [file_name, emojiUrl(this.ids.realm, this.emojiFileName(id, file_name))]),
    );
  }

  /** The address of the picture of a linked page, by its old file name. */
  previewUrl(fileName: string): string {
    return `/link_previews/${this.ids.realm}/${this.#previewName(fileName)}`;
  }

  #previewName(fileName: string): string {
    return `${this.#random(`preview:${fileName}`).toString("hex").slice(0, 32)}.webp`;
  }

  /** Stores all files. */
  async store(uploads: ReadonlyMap<string, string>): Promise<StoredPictures> {
    const { files } = this.places;
    for (const { path_id } of this.from.attachments) {
      const pieces = await this.from.openFile("uploads", path_id);
      if (pieces) await files.put(this.places.storedUpload(defined(uploads.get(path_id), "upload")), pieces);
    }
    for (const { path } of await this.from.records("link_previews")) {
      const bytes = await this.from.readFile("link_previews", path);
      const name = this.#previewName(basename(path));
      if (bytes !== undefined && imageType(bytes) === "image/webp")
        await files.put(`link-previews/${this.ids.realm}/${name}`, bytes);
    }
    const avatars = new Set<OldUserId>();
    for (const { path, user_profile_id } of await this.from.records("avatars")) {
      if (user_profile_id === undefined || !this.ids.users.has(user_profile_id) || !path.endsWith(".original"))
        continue;
      const bytes = await this.from.readFile("avatars", path);
      if (bytes === undefined || imageType(bytes) === undefined) continue;
      await files.put(`avatars/${this.ids.realm}/${this.avatarPath(user_profile_id)}`, bytes);
      avatars.add(user_profile_id);
    }
    return { avatars, animated: await this.#storeEmoji(), realm: await this.#storeRealmPictures() };
  }

  /** The organization's icon and logos, as they were given. */
  async #storeRealmPictures(): Promise<Record<string, string>> {
    const settings: Record<string, string> = {};
    for (const { path } of await this.from.records("realm_icons")) {
      const kind = realmPictures.find((one) => path.endsWith(`/${one}.original`));
      const bytes = kind && (await this.from.readFile("realm_icons", path));
      const type = bytes && pictureEndings[imageType(bytes) ?? ""];
      if (!type) continue;
      const name = `${this.#random(`realm:${kind}`).toString("hex").slice(0, 32)}.${type}`;
      await this.places.files.put(`realm/${this.ids.realm}/${name}`, bytes);
      settings[`${kind}_file`] = name;
    }
    return settings;
  }

  /** Bytes of the stored uploads, by their old paths. Of some that the export lists the bytes are missing. */
  async sizesOfUploads(uploads: ReadonlyMap<string, string>): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for (const [old, path] of uploads) {
      const size = await this.places.files.size(this.places.storedUpload(path));
      if (size !== undefined) sizes.set(old, size);
    }
    return sizes;
  }

  async #storeEmoji(): Promise<Set<OldEmojiId>> {
    const animated = new Set<OldEmojiId>();
    const paths = new Map((await this.from.records("emoji")).map(({ path, file_name }) => [file_name, path]));
    for (const { id, file_name } of this.from.rows("zerver_realmemoji")) {
      const path = paths.get(file_name);
      const bytes = path === undefined ? undefined : await this.from.readFile("emoji", path);
      if (bytes === undefined || imageType(bytes) === undefined) continue;
      const name = this.emojiFileName(id, file_name);
      const folder = `emoji/${this.ids.realm}`;
      await this.places.files.put(`${folder}/${name}`, bytes);
      if (this.places.moves(bytes)) animated.add(id);
    }
    return animated;
  }

  /** Rows of the uploads whose bytes are stored. @param newIds one id for each */
  attachmentRows(
    uploads: ReadonlyMap<string, string>,
    sizes: ReadonlyMap<string, number>,
    ids: IdMaps,
    newIds: readonly AttachmentId[],
  ): BulkRow<"attachments">[] {
    return this.from.attachments.flatMap((row, index) => {
      const owner_id = ids.users.get(row.owner);
      const size = sizes.get(row.path_id);
      if (owner_id === undefined || size === undefined) return [];
      return [
        {
          id: defined(newIds[index], "new id"),
          realm_id: ids.realm,
          owner_id,
          file_name: row.file_name,
          path_id: defined(uploads.get(row.path_id), "upload"),
          size,
          content_type: this.places.contentType(row.file_name, row.content_type ?? ""),
          image: this.from.images.get(row.path_id) ?? null,
          create_time: Math.floor(row.create_time),
          message_ids: row.messages.flatMap((id) => ids.messages.get(id) ?? []).sort((a, b) => a - b),
          quarantined_at: this.places.quarantinedAt,
          scan_at: this.places.quarantinedAt,
          access_key: this.#random(`key:${row.path_id}`).toString("base64url"),
        },
      ];
    });
  }

  #random(of: string): Buffer {
    return createHmac("sha256", this.secret).update(of).digest();
  }
}
