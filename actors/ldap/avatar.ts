/** Pictures of people that come from a directory. */
import { createHash, randomBytes } from "node:crypto";
import type { UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { putAvatar } from "../users/changes/avatars.ts";

/** Hexadecimal digits of a picture's name that tell which one it is. The rest nobody can guess. */
const markDigits = 12;
const nameBytes = 16;

const markOf = (picture: Uint8Array): string => createHash("sha256").update(picture).digest("hex").slice(0, markDigits);

/** Whether an account has this picture of a directory. */
export const hasPicture = ({ id, avatar_path: path }: UserRow, picture: Uint8Array): boolean =>
  path?.startsWith(`${id}/${markOf(picture)}`) ?? false;

/** Where a picture is stored, below the organization's avatars. */
export function pathFor(userId: UserId, picture: Uint8Array): string {
  const rest = randomBytes(nameBytes).toString("hex").slice(markDigits);
  return `${userId}/${markOf(picture)}${rest}`;
}

/** Gives an account a picture that is stored already. Answers the file that is no longer needed. */
export const keepDirectoryAvatar = command((tx: Tx, { userId, path }: { userId: UserId; path: string }) => {
  const user = tx.user(userId);
  putAvatar(tx, user, "U", path);
  return { replaced: user.avatar_path };
});
