/** Pictures of people and bots: which files are pictures, and changing or removing an account's picture. */
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest, errors } from "../../errors.ts";
import { isAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";
import { deleteFiles } from "../../uploads/deleted-files.ts";
import { avatarUrl } from "../record.ts";
import { tellAvatar } from "./address.ts";
import { accessBot } from "./api-keys.ts";

/** As told in `max_avatar_file_size_mib`. https://zulip.com/api/register-queue */
export const maxAvatarBytes = 5 * 1024 * 1024;

const signatures: readonly { type: string; matches(bytes: Uint8Array): boolean }[] = [
  { type: "image/png", matches: (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { type: "image/jpeg", matches: (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]) },
  { type: "image/gif", matches: (bytes) => /^GIF8[79]a$/.test(latin(bytes, 0, 6)) },
  { type: "image/webp", matches: (bytes) => latin(bytes, 0, 4) === "RIFF" && latin(bytes, 8, 12) === "WEBP" },
];

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
function latin(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

/** Media type of a picture by its first bytes, never by its name. Undefined for anything else. */
export function imageType(bytes: Uint8Array): string | undefined {
  return signatures.find((signature) => signature.matches(bytes))?.type;
}

/** @throws BAD_IMAGE, BAD_REQUEST */
export function checkAvatar(bytes: Uint8Array): void {
  if (bytes.length > maxAvatarBytes) throw badRequest("Uploaded file is larger than the allowed limit of 5 MiB");
  if (imageType(bytes) === undefined) throw errors.BAD_IMAGE("Could not decode image; did you upload an image file?");
}

export interface SetAvatarArgs {
  actorId: UserId;
  /** The actor, or a bot that they manage. */
  userId: UserId;
  /** Where the picture is stored. Null: the account has none. */
  path: string | null;
}

/** Answers the picture's address, and the file that is no longer needed. @throws BAD_REQUEST */
export const setAvatar = command((tx: Tx, { actorId, userId, path }: SetAvatarArgs) => {
  const { state } = tx;
  const actor = tx.user(actorId);
  const user = actorId === userId ? actor : accessBot(tx.state, actor, userId);
  if (state.setting("avatar_changes_disabled") && !isAdmin(actor))
    throw badRequest("Avatar changes are disabled in this organization.");
  const source = path === null ? state.setting("default_avatar_source") : ("U" as const);
  const isNew = path !== null || user.avatar_source !== source;
  const next = isNew ? putAvatar(tx, user, source, path) : user;
  return { avatar_url: avatarUrl(state, next, actor), replaced: isNew ? user.avatar_path : null };
});

/** Gives an account another picture, or none. Returns the row as it will be. */
export function putAvatar(tx: Tx, user: UserRow, source: UserRow["avatar_source"], path: string | null): UserRow {
  const next = { ...user, avatar_source: source, avatar_path: path, avatar_version: user.avatar_version + 1 };
  tx.put("users", next);
  tellAvatar(tx, next);
  if (user.avatar_path !== null) deleteFiles(tx, [`avatars/${tx.realmId}/${user.avatar_path}`]);
  return next;
}
