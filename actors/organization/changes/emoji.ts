/** Custom emoji of the organization. The name of a deactivated emoji may be used again. */
import type { RealmId, UserId } from "../../../storage/ids.ts";
import type { RealmEmojiRow } from "../../../storage/rows.ts";
import { badRequest, notFound } from "../../errors.ts";
import { emojiByName } from "../../markdown/emoji.ts";
import { isAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import type { EmojiRecord } from "../shapes.ts";

/** Code units: fits a line of a menu. */
const maxNameLength = 60;
const maxEmoji = 10_000;
/** Emoji of one author. Each is a file of up to 5 MiB, and none is ever deleted. */
const maxEmojiOfAuthor = 500;

/** Address of an emoji's picture. */
export const emojiUrl = (realmId: RealmId, fileName: string): string =>
  `/user_avatars/${realmId}/emoji/images/${fileName}`;

/** A custom emoji as clients see it. https://zulip.com/api/get-custom-emoji */
function renderEmoji(row: RealmEmojiRow): EmojiRecord {
  return {
    id: String(row.id),
    name: row.name,
    source_url: emojiUrl(row.realm_id, row.file_name),
    still_url: row.is_animated ? emojiUrl(row.realm_id, stillName(row.file_name)) : null,
    deactivated: row.deactivated,
    author_id: row.author_id,
  };
}

/** File name of an animated emoji's still picture. */
const stillName = (fileName: string): string => fileName.replace(/\.gif$/, "-still.gif");

/** All custom emoji by id, including deactivated ones. */
export function renderAllEmoji(rows: Iterable<RealmEmojiRow>): Record<string, EmojiRecord> {
  return Object.fromEntries([...rows].map((row) => [String(row.id), renderEmoji(row)]));
}

/** Returns the name as it is stored. @throws BAD_REQUEST when it cannot be written between two colons */
export function checkEmojiName(given: string): string {
  const name = given.trim().replaceAll(" ", "_");
  if (name === "") throw badRequest("Emoji name is missing");
  if (name.length > maxNameLength) throw badRequest("Emoji name is too long");
  if (!/^[0-9a-z_-]*[0-9a-z]$/.test(name)) {
    throw badRequest(
      "Emoji names must contain only lowercase English letters, digits, dashes and underscores, and end with a letter or digit.",
    );
  }
  return name;
}

function findActive(state: RealmState, name: string): RealmEmojiRow | undefined {
  for (const row of state.emoji.values()) if (row.name === name && !row.deactivated) return row;
  return undefined;
}

export interface AddEmojiArgs {
  userId: UserId;
  name: string;
  fileName: string;
  isAnimated: boolean;
}

/** Adds an emoji. Its picture is stored already. */
export const addEmoji = command(async (tx: Tx, args: AddEmojiArgs) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  const name = checkEmojiName(args.name);
  if (!state.may(user, "can_add_custom_emoji_group")) throw badRequest("Insufficient permission");
  if (findActive(state, name)) throw badRequest("A custom emoji with this name already exists.");
  if (emojiByName(name) && !isAdmin(user)) throw badRequest("Only administrators can override built-in emoji.");
  if (state.emoji.size >= maxEmoji) throw badRequest("There are too many custom emoji.");
  let own = 0;
  for (const { author_id } of state.emoji.values()) if (author_id === user.id) own++;
  if (own >= maxEmojiOfAuthor)
    throw badRequest(`You have added ${maxEmojiOfAuthor} custom emoji, and nobody may add more.`);
  const row: RealmEmojiRow = {
    id: await tx.id("object_ids"),
    realm_id: tx.realmId,
    name,
    file_name: args.fileName,
    is_animated: args.isAnimated,
    deactivated: false,
    author_id: user.id,
  };
  tx.put("realm_emoji", row);
  tx.event(
    {
      type: "realm_emoji",
      op: "add",
      emoji: renderEmoji(row),
      full_map: renderAllEmoji([...state.emoji.values(), row]),
    },
    { to: "realm" },
  );
  return {};
});

/** Deactivates an emoji. Existing messages keep it. Allowed for administrators and its author. @throws a 404 */
export const deactivateEmoji = command((tx: Tx, args: { userId: UserId; name: string }) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  const before = findActive(state, args.name);
  if (!before) throw notFound(`Emoji '${args.name.slice(0, maxNameLength)}' does not exist`);
  if (!isAdmin(user) && before.author_id !== user.id)
    throw badRequest("Must be an organization administrator or emoji author");
  const row = { ...before, deactivated: true };
  tx.put("realm_emoji", row);
  tx.event(
    {
      type: "realm_emoji",
      op: "update_one",
      emoji_id: String(row.id),
      data: { deactivated: true },
      full_map: renderAllEmoji([...state.emoji.values()].map((one) => (one.id === row.id ? row : one))),
    },
    { to: "realm" },
  );
  return {};
});
