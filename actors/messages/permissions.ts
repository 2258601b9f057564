/** Who may edit, move and delete a message, and until when. */
import type { MessageRow } from "../../storage/messages/messages.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { isModerator } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";
import { meantTopic } from "../topics/empty-topic.ts";

/**
 * Writing an edit, or choosing where messages go, takes time while the limit runs out, so it may be so many seconds
 * late. A deletion is one click and has no such grace.
 */
export const limitBufferSecs = 20;

/** Stands before the name of a resolved topic. */
export const resolvedPrefix = "✔ ";

type Sent = Pick<MessageRow, "sender_id" | "sent_at">;

/** @throws BAD_REQUEST unless the user may change the message's content now */
export function checkCanEditContent(state: RealmState, user: UserRow, message: Sent, now: number): void {
  if (message.sender_id !== user.id) throw badRequest("You don't have permission to edit this message");
  if (!state.setting("allow_message_editing")) throw badRequest("Your organization has turned off message editing");
  const limit = state.setting("message_content_edit_limit_seconds");
  if (limit !== null && now - message.sent_at > limit + limitBufferSecs)
    throw badRequest("The time limit for editing this message has passed");
}

/**
 * Whoever may delete what anybody wrote there does so at any time. Others delete their own and their bots' messages, if
 * they may, in time. https://zulip.com/help/delete-a-message
 *
 * @param channel undefined: a direct message
 * @throws BAD_REQUEST unless the user may delete the message now
 */
export function checkCanDelete(
  state: RealmState,
  user: UserRow,
  message: Sent,
  channel: ChannelRow | undefined,
  now: number,
): void {
  if (canDeleteAny(state, user, channel)) return;
  const sender = state.users.get(message.sender_id);
  const isOwn = message.sender_id === user.id || (sender?.is_bot === true && sender.bot_owner_id === user.id);
  const may =
    state.may(user, "can_delete_own_message_group") ||
    (channel !== undefined && state.groups.holds(channel.can_delete_own_message_group, user));
  if (!isOwn || !may) throw badRequest("You don't have permission to delete this message");
  const limit = state.setting("message_content_delete_limit_seconds");
  // People who may change the deadline are not bound by it.
  const isHeld = limit !== null && !state.may(user, "can_set_delete_message_policy_group");
  if (isHeld && now - message.sent_at > limit) throw badRequest("The time limit for deleting this message has passed");
}

/** Whether the user may delete what anybody wrote, at any time. */
export function canDeleteAny(state: RealmState, user: UserRow, channel: ChannelRow | undefined): boolean {
  return (
    state.may(user, "can_delete_any_message_group") ||
    (channel !== undefined && state.groups.holds(channel.can_delete_any_message_group, user))
  );
}

/** Whether a change of topic only marks it resolved or unresolved. */
export function togglesResolved(from: string, to: string, cut: (topic: string) => string): boolean {
  return to === cut(resolvedPrefix + from) || from === cut(resolvedPrefix + to);
}

/** @throws BAD_REQUEST for a mark on the empty topic: its name would be the mark alone */
export function checkCanBeResolved(from: string, to: string): void {
  const mark = resolvedPrefix.trimEnd();
  if (from === "" && to.startsWith(mark) && meantTopic(to.slice(mark.length)) === "")
    throw badRequest("The empty topic cannot be marked as resolved.");
}

/** @throws BAD_REQUEST unless the user may move messages of `from` to another topic, there or in `to` */
export function checkCanMoveTopic(state: RealmState, user: UserRow, from: ChannelRow, to: ChannelRow): void {
  const may =
    state.may(user, "can_move_messages_between_topics_group") ||
    state.groups.holds(from.can_move_messages_within_channel_group, user) ||
    state.groups.holds(to.can_move_messages_within_channel_group, user);
  if (!may) throw badRequest("You don't have permission to edit this message");
}

/** @throws BAD_REQUEST unless the user may mark topics of the channel resolved */
export function checkCanResolve(state: RealmState, user: UserRow, channel: ChannelRow): void {
  if (state.may(user, "can_resolve_topics_group") || state.groups.holds(channel.can_resolve_topics_group, user)) return;
  throw badRequest("You don't have permission to resolve topics.");
}

/** @throws BAD_REQUEST unless the user may take messages out of the channel */
export function checkCanMoveOut(state: RealmState, user: UserRow, from: ChannelRow): void {
  const may =
    state.may(user, "can_move_messages_between_channels_group") ||
    state.groups.holds(from.can_move_messages_out_of_channel_group, user);
  if (!may) throw badRequest("You don't have permission to move this message");
}

/**
 * The age, in seconds, up to which this user may move a message. Undefined: any age.
 *
 * @param change what the move changes; the tighter of two limits holds
 */
export function moveLimit(
  state: RealmState,
  user: UserRow,
  change: { topic: boolean; channel: boolean },
): number | undefined {
  if (isModerator(user)) return undefined;
  const limits = [
    change.topic ? state.setting("move_messages_within_stream_limit_seconds") : null,
    change.channel ? state.setting("move_messages_between_streams_limit_seconds") : null,
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? undefined : Math.min(...limits) + limitBufferSecs;
}
