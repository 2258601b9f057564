/**
 * `PATCH /messages/{id}`: new content, a new topic, another channel. Content and topic may change together, content and
 * channel may not. Everything is checked before anything is recorded. One `update_message` event tells all changes, or
 * several when very many messages move.
 */

import { createHash } from "node:crypto";
import type { ChannelId, MessageId, UserId } from "../../../storage/ids.ts";
import { findMessageAccess, type MessageAccess } from "../../../storage/messages/access.ts";
import { type AttachmentRecord, findLinkedPaths, findMedia } from "../../../storage/messages/attachments.ts";
import { findStillIn, recordChange, updateContent } from "../../../storage/messages/changes.ts";
import { hasSubmessages } from "../../../storage/messages/reactions.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { takesMessages } from "../../channels/channel-machine.ts";
import { badRequest, errors } from "../../errors.ts";
import type { RealmEvent } from "../../events/events.ts";
import type { RenderedMessage } from "../../markdown/render.ts";
import { renderMessage } from "../../organization/markdown-context.ts";
import type { Command } from "../../realm/command.ts";
import { memoryOf } from "../../realm/memory.ts";
import type { Tx } from "../../realm/transaction.ts";
import { knownTopics } from "../../topics/known-topics.ts";
import { topicParticipants } from "../../topics/participants.ts";
import { claimAttachments } from "../../uploads/attachments.ts";
import { releaseAttachments } from "../../uploads/release-attachments.ts";
import { findReadable } from "../access.ts";
import { messageAudience } from "../audience.ts";
import { findAlerted, findMentioned } from "../mentions.ts";
import { checkCanEditContent } from "../permissions.ts";
import { keptOf } from "./edit-history.ts";
import { flagsNow } from "./flags-now.ts";
import { endMove, movedAudience, planMove, recordMove } from "./move.ts";
import type { Move, PropagateMode } from "./move-plan.ts";
import { checkMentions, normalizeContent } from "./send.ts";

export interface UpdateMessageArgs {
  userId: UserId;
  messageId: MessageId;
  content?: string | undefined;
  topic?: string | undefined;
  channelId?: ChannelId | undefined;
  propagateMode: PropagateMode;
  notifyOldThread: boolean;
  notifyNewThread: boolean;
  /** SHA-256 of the content that the caller edited, in hexadecimal. */
  prevContentSha256?: string | undefined;
}

export interface UpdateMessageReply {
  /** Uploads that only this message linked to, before the edit. */
  detached_uploads: AttachmentRecord[];
}

/** Messages that one commit moves within a channel, and people times messages that it moves between two. */
const idsPerTurn = 500;
const pairsPerTurn = 1_000_000;
/** So many messages are moved at once, however large the channel is. */
const leastPerTurn = 20;

/** The content of a message from which an edit removed all text. */
const emptied = "(deleted)";

/**
 * A message that the user can read and change.
 *
 * @throws BAD_REQUEST for one of an archived channel, as for a message that does not exist
 */
export async function accessChangeable(tx: Tx, user: UserRow, messageId: MessageId): Promise<MessageAccess> {
  const message = await findReadable(tx.state, tx.sql, user, messageId);
  const channel = message?.channel_id == null ? undefined : tx.state.channels.get(message.channel_id);
  if (!message || (channel && !takesMessages(channel))) throw badRequest("Invalid message(s)");
  return message;
}

export const updateMessage: Command<UpdateMessageArgs, UpdateMessageReply> = async (context, args) => {
  const { realm, state, database } = context;
  const { content, topic, channelId } = args;
  if (content === undefined && topic === undefined && channelId === undefined) throw badRequest("Nothing to change");
  if (content !== undefined && channelId !== undefined)
    throw badRequest("Cannot change message content while changing channel");
  if (args.propagateMode !== "change_one" && topic === undefined && channelId === undefined)
    throw badRequest("Invalid propagate_mode without topic edit");
  const text = content === undefined || content.trim() === "" ? content && emptied : normalizeContent(content);
  const editTo = async (content: string): Promise<Edit> => ({
    content,
    rendered: await renderMessage(state, state.users.get(args.userId), content, (paths) =>
      findMedia(database.sql, realm.id, paths),
    ),
  });
  // Rendering may take a while, so it is done before the command waits in the mailbox.
  const edit = content === undefined ? undefined : await editTo(text || emptied);
  return {
    decide: (tx) => decide(tx, args, edit),
    committed: () => {
      if (topic !== undefined || channelId !== undefined) memoryOf(realm, knownTopics).clear();
    },
  };
};

interface Edit {
  content: string;
  rendered: RenderedMessage;
}

async function decide(tx: Tx, args: UpdateMessageArgs, edit: Edit | undefined): Promise<UpdateMessageReply> {
  const { state } = tx;
  const user = tx.user(args.userId);
  const message = await accessChangeable(tx, user, args.messageId);
  const channel = message.channel_id === null ? undefined : state.channels.get(message.channel_id)!;
  if (!channel && args.channelId !== undefined) throw badRequest("Direct messages cannot be moved to channels.");
  if (!channel && args.topic !== undefined) throw badRequest("Direct messages cannot have topics.");
  const move = channel && (await planMove(tx, user, message, channel, args));
  const edited = edit && (await checkEdit(tx, user, message, channel, edit, args.prevContentSha256));
  if (!move && !edited) return { detached_uploads: [] };
  const content = edited && edit && { edited, edit };
  const size = move && channel ? turnSize(tx, channel, move) : 0;
  const isLong = move !== undefined && move.ids.length > size;
  const detached_uploads =
    isLong && !content
      ? []
      : await change(tx, user, message, channel, { content, move: isLong ? undefined : move }, args);
  if (channel && move && isLong) await moveInTurns(tx, message, channel, move, size, args, content !== undefined);
  else if (channel && move) await endMove(tx, user, channel, message.topic, move, args);
  return { detached_uploads };
}

/**
 * Moves very many messages a part at a time. The message that the request names goes last, so that a repeat finds
 * beside it what a crash has left. Messages that were sent or went elsewhere meanwhile stay where they are.
 */
async function moveInTurns(
  tx: Tx,
  named: MessageAccess,
  from: ChannelRow,
  move: Move,
  size: number,
  args: UpdateMessageArgs,
  isEdited: boolean,
): Promise<void> {
  const turn = async (now: Tx, part: readonly number[]) => {
    const user = now.user(args.userId);
    const channel = now.state.channels.get(from.id)!;
    const target = move.target && now.state.channels.get(move.target.id)!;
    const ids = await findStillIn(now.sql, channel.recipient_id, named.topic, part);
    if (ids.length === 0) return;
    const hasNamed = ids.includes(named.id);
    const [message] = await findMessageAccess(now.sql, now.realmId, user.id, [hasNamed ? named.id : ids[0]!]);
    // The topic as the request has it: messages may have it in other letters.
    const one = { ...message!, topic: named.topic };
    await change(now, user, one, channel, { move: { ...move, ids, target } }, args);
    if (hasNamed) await endMove(now, user, channel, named.topic, { ...move, target }, args);
  };
  const [first, ...later] = inParts(move.ids, named.id, size);
  if (isEdited) tx.later((next) => turn(next, first!));
  else await turn(tx, first!);
  for (const part of later) tx.later((next) => turn(next, part));
}

/** How many messages go in one commit. Between channels everybody's received and read messages go along. */
function turnSize({ state }: Tx, channel: ChannelRow, { target }: Move): number {
  if (!target) return idsPerTurn;
  const people = state.subscriptions.countActive(channel.id) + state.subscriptions.countActive(target.id);
  return Math.min(idsPerTurn, Math.max(leastPerTurn, Math.floor(pairsPerTurn / Math.max(1, people))));
}

/** Ascending parts of about that size, of which the last has `last` too. */
function inParts(ids: readonly MessageId[], last: MessageId, size: number): MessageId[][] {
  const others = ids.filter((id) => id !== last);
  const parts: number[][] = [];
  for (let first = 0; first < others.length; first += size) parts.push(others.slice(first, first + size));
  parts.at(-1)!.push(last);
  parts.at(-1)!.sort((a, b) => a - b);
  return parts;
}

interface Change {
  content?: { edited: Edited; edit: Edit } | undefined;
  move?: Move | undefined;
}

/** Records a change of messages of one topic or conversation, and tells of it. Returns what nothing links to now. */
async function change(
  tx: Tx,
  user: UserRow,
  message: MessageAccess,
  channel: ChannelRow | undefined,
  { content, move }: Change,
  args: UpdateMessageArgs,
): Promise<AttachmentRecord[]> {
  const { state } = tx;
  const edited = content?.edited;
  const after = { ...message, ...edited, topic: move?.topic ?? message.topic };
  const kept = edited && keptOf(message);
  const flags = await flagsNow(tx, after, message.participants);
  const ids = move?.ids ?? [message.id];
  const audience =
    channel && move
      ? await movedAudience(tx, channel, move.target, ids)
      : await messageAudience(state, tx.sql, channel ? { channel } : { participants: message.participants! }, ids);
  tx.write((sql) =>
    recordChange(sql, tx.realmId, ids, {
      userId: user.id,
      now: tx.now,
      topic: move?.topicChanges ? move.topic : undefined,
      channels: channel && move?.target ? { from: channel.id, to: move.target } : undefined,
      isMove: move !== undefined && !move.isToggle,
      content: kept,
    }),
  );
  const detached = content ? await storeEdit(tx, user, message, content.edited, content.edit) : [];
  const event: RealmEvent = {
    type: "update_message",
    user_id: user.id,
    rendering_only: false,
    message_id: message.id,
    message_ids: ids,
    edit_timestamp: tx.now,
    ...flags,
    ...(channel && { stream_id: channel.id }),
    ...(edited && {
      orig_content: message.content,
      orig_rendered_content: message.rendered_content,
      content: edited.content,
      rendered_content: edited.rendered_content,
      is_me_message: edited.is_me_message,
    }),
    ...(move && moveFields(move, message, args)),
  };
  if (channel && move) await recordMove(tx, message, channel, move, event, audience);
  else tx.event(event, audience);
  return detached;
}

function moveFields(move: Move, message: MessageAccess, args: UpdateMessageArgs): Record<string, unknown> {
  return {
    orig_subject: message.topic,
    propagate_mode: args.propagateMode,
    ...(move.topicChanges && { subject: move.topic, topic_links: move.topicLinks }),
    ...(move.target && { new_stream_id: move.target.id }),
  };
}

/** The columns that an edit changes. Undefined when the content stays the same. */
async function checkEdit(
  tx: Tx,
  user: UserRow,
  message: MessageAccess,
  channel: ChannelRow | undefined,
  { content, rendered }: Edit,
  prevContentSha256: string | undefined,
) {
  const { state } = tx;
  checkCanEditContent(state, user, message, tx.now);
  if (prevContentSha256 !== undefined && sha256(message.content) !== prevContentSha256.trim().toLowerCase())
    throw errors.EXPECTATION_MISMATCH("the content");
  if (await hasSubmessages(tx.sql, message.id)) throw badRequest("Widgets cannot be edited.");
  if (content === message.content) return undefined;
  const reached =
    channel && rendered.mentionsTopicWildcard ? await topicParticipants(tx.sql, state, channel, message.topic) : null;
  checkMentions(state, user, rendered, channel, reached ?? undefined);
  const mentioned = findMentioned(state, rendered, channel, message.participants ?? undefined);
  const alerted = findAlerted(state, content, channel, message.participants ?? undefined);
  return {
    content,
    rendered_content: rendered.html,
    is_me_message: rendered.isMeMessage,
    has_link: rendered.hasLink,
    has_image: rendered.hasImage,
    has_attachment: rendered.hasAttachment,
    channel_wildcard: channel !== undefined && rendered.mentionsChannelWildcard,
    topic_wildcard: reached !== null,
    mentioned: mentioned.length > 0 ? mentioned : null,
    topic_participants: reached,
    alerted: alerted.length > 0 ? alerted : null,
  };
}

type Edited = NonNullable<Awaited<ReturnType<typeof checkEdit>>>;

/** Writes the content and the message's links to uploads. */
async function storeEdit(
  tx: Tx,
  user: UserRow,
  message: MessageAccess,
  edited: Edited,
  { rendered }: Edit,
): Promise<AttachmentRecord[]> {
  tx.write((sql) => updateContent(sql, tx.realmId, message.id, tx.now, edited));
  if (!message.has_attachment && !rendered.hasAttachment) return [];
  const linked = await findLinkedPaths(tx.sql, tx.realmId, message.id);
  const added = rendered.attachmentPathIds.filter((path) => !linked.has(path));
  if (added.length > 0) await claimAttachments(tx, user, message.id, added);
  return releaseAttachments(tx, [message.id], rendered.attachmentPathIds);
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
