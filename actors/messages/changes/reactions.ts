/** Emoji reactions to messages. */

import type { MessageId, UserId } from "../../../storage/ids.ts";
import type { MessageAccess } from "../../../storage/messages/access.ts";
import { deleteReaction, insertReaction, type ReactionRow, reactionsTo } from "../../../storage/messages/reactions.ts";
import type { ReactionType, UserRow } from "../../../storage/rows.ts";
import { badRequest, errors } from "../../errors.ts";
import type { EventOf } from "../../events/events.ts";
import { emojiByName, emojiNames, extraEmojiByName } from "../../markdown/emoji.ts";
import { apiEmail } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { participationPolicies, putTopicPolicies } from "../../topics/changes/visibility-policies.ts";
import { conversationOf, messageAudience } from "../audience.ts";
import { accessChangeable } from "./edit.ts";

export const reactionTypes = ["unicode_emoji", "realm_emoji", "zulip_extra_emoji"] as const;

export interface ReactionArgs {
  userId: UserId;
  messageId: MessageId;
  emojiName?: string | undefined;
  emojiCode?: string | undefined;
  reactionType?: ReactionType | undefined;
}

export type Emoji = Pick<ReactionRow, "emoji_name" | "emoji_code" | "reaction_type">;

/** The emoji of a name. The realm's own come first, as in messages. @throws BAD_REQUEST */
export function emojiOf(state: RealmState, name: string): Emoji {
  const own = [...state.emoji.values()].find((emoji) => emoji.name === name && !emoji.deactivated);
  if (own) return { emoji_name: name, emoji_code: String(own.id), reaction_type: "realm_emoji" };
  const extra = extraEmojiByName(name);
  if (extra) return { emoji_name: name, emoji_code: extra.code, reaction_type: "zulip_extra_emoji" };
  const unicode = emojiByName(name);
  if (unicode) return { emoji_name: name, emoji_code: unicode.code, reaction_type: "unicode_emoji" };
  throw badRequest(`Emoji '${name}' does not exist`);
}

/** @throws BAD_REQUEST unless there is such an emoji under this name, not a deactivated one */
export function checkEmoji(state: RealmState, { emoji_name, emoji_code, reaction_type }: Emoji): void {
  if (reaction_type === "realm_emoji") {
    const own = /^\d{1,15}$/.test(emoji_code) ? state.emoji.get(Number(emoji_code)) : undefined;
    if (!own) throw badRequest("Invalid custom emoji.");
    if (own.name !== emoji_name) throw badRequest("Invalid custom emoji name.");
    if (own.deactivated) throw badRequest("This custom emoji has been deactivated.");
  } else if (reaction_type === "zulip_extra_emoji") {
    const extra = extraEmojiByName(emoji_name);
    if (extra?.code !== emoji_code) throw badRequest("Invalid emoji code.");
  } else {
    const names = emojiNames(emoji_code);
    if (names.length === 0) throw badRequest("Invalid emoji code.");
    if (!names.includes(emoji_name)) throw badRequest("Invalid emoji name.");
  }
}

export const addReaction = command(async (tx: Tx, args: ReactionArgs) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  const message = await accessChangeable(tx, user, args.messageId);
  const name = args.emojiName;
  if (name === undefined) throw errors.REQUEST_VARIABLE_MISSING({ var_name: "emoji_name" });
  const emoji: Emoji =
    args.emojiCode === undefined
      ? emojiOf(state, name)
      : { emoji_name: name, emoji_code: args.emojiCode, reaction_type: args.reactionType ?? "unicode_emoji" };
  const given = await reactionsTo(tx.sql, message.id);
  const alike = given.filter((other) => isSame(other, emoji));
  if (alike.some((other) => other.user_id === user.id)) throw errors.REACTION_ALREADY_EXISTS();
  // A further reaction with an emoji takes the name of the first, even if that emoji was deactivated.
  if (alike[0]) emoji.emoji_name = alike[0].emoji_name;
  else checkEmoji(state, emoji);
  const reaction = { ...emoji, message_id: message.id, user_id: user.id };
  tx.write((sql) => insertReaction(sql, tx.realmId, reaction));
  await tell(tx, user, message, reaction, "add");
  const channel = message.channel_id === null ? undefined : state.channels.get(message.channel_id);
  if (channel) putTopicPolicies(tx, channel, message.topic, participationPolicies(state, user, channel, message.topic));
  return {};
});

export const removeReaction = command(async (tx: Tx, args: ReactionArgs) => {
  const user = tx.user(args.userId);
  const message = await accessChangeable(tx, user, args.messageId);
  const mine = (await reactionsTo(tx.sql, message.id)).filter((reaction) => reaction.user_id === user.id);
  const { emojiName, emojiCode } = args;
  if (emojiName === undefined && emojiCode === undefined)
    throw badRequest("At least one of the following arguments must be present: emoji_name, emoji_code");
  const type = args.reactionType ?? (emojiCode === undefined ? undefined : "unicode_emoji");
  const reaction = mine.find(
    (one) =>
      (emojiCode === undefined ? one.emoji_name === emojiName : one.emoji_code === emojiCode) &&
      (type === undefined || one.reaction_type === type),
  );
  if (!reaction) throw errors.REACTION_DOES_NOT_EXIST();
  tx.write((sql) => deleteReaction(sql, tx.realmId, reaction));
  await tell(tx, user, message, reaction, "remove");
  return {};
});

/** Takes all that somebody gave a message, whoever has it done. */
export async function removeReactionsOf(tx: Tx, user: UserRow, message: MessageAccess): Promise<number> {
  const theirs = (await reactionsTo(tx.sql, message.id)).filter((reaction) => reaction.user_id === user.id);
  for (const reaction of theirs) {
    tx.write((sql) => deleteReaction(sql, tx.realmId, reaction));
    await tell(tx, user, message, reaction, "remove");
  }
  return theirs.length;
}

const isSame = (one: Emoji, other: Emoji): boolean =>
  one.emoji_code === other.emoji_code && one.reaction_type === other.reaction_type;

/** Tells the message's readers, and the person who reacted if they are not among them. */
async function tell(tx: Tx, user: UserRow, message: MessageAccess, reaction: ReactionRow, op: "add" | "remove") {
  const { state } = tx;
  const conversation = conversationOf(state, message);
  const { channel } = conversation;
  const audience = await messageAudience(state, tx.sql, conversation, [message.id]);
  const event: EventOf<"reaction"> = {
    type: "reaction",
    op,
    message_id: message.id,
    user_id: user.id,
    emoji_name: reaction.emoji_name,
    emoji_code: reaction.emoji_code,
    reaction_type: reaction.reaction_type,
    user: { user_id: user.id, email: apiEmail(state, user), full_name: user.full_name },
  };
  tx.event(event, audience);
  const isTold =
    audience.to === "users" ? audience.ids.includes(user.id) : !channel || state.subscriptions.has(user.id, channel.id);
  if (!isTold) tx.event(event, { to: "users", ids: [user.id] });
}
