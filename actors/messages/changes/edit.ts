/**
 * `PATCH /messages/{id}`: new content, a new topic, another channel. Content and topic may change together, content and
 * channel may not. Everything is checked before anything is recorded. One `update_message` event tells all changes, or
 * several when very many messages move; see `great-moves.ts`.
 */

import { createHash } from "node:crypto";
import type { ChannelId, MessageId, UserId } from "../../../storage/ids.ts";
import type { MessageAccess } from "../../../storage/messages/access.ts";
import { type AttachmentRecord, findMedia } from "../../../storage/messages/attachments.ts";
import type { EditedContent } from "../../../storage/messages/changes.ts";
import { hasSubmessages } from "../../../storage/messages/reactions.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { takesMessages } from "../../channels/channel-machine.ts";
import { badRequest, errors } from "../../errors.ts";
import { renderMessage } from "../../organization/markdown-context.ts";
import type { Command } from "../../realm/command.ts";
import { memoryOf } from "../../realm/memory.ts";
import type { Tx } from "../../realm/transaction.ts";
import { knownTopics } from "../../topics/known-topics.ts";
import { topicParticipants } from "../../topics/participants.ts";
import { findReadable } from "../access.ts";
import { findAlerted, findMentioned } from "../mentions.ts";
import { checkCanEditContent } from "../permissions.ts";
import { checkMentions } from "../send-rules.ts";
import { normalizeContent } from "../typed-text.ts";
import { beginGreatMove } from "./great-moves.ts";
import { endMove, planMove } from "./move.ts";
import type { PropagateMode } from "./move-plan.ts";
import { type Edit, recordEdit } from "./record-change.ts";

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

async function decide(tx: Tx, args: UpdateMessageArgs, edit: Edit | undefined): Promise<UpdateMessageReply> {
  const { state } = tx;
  const user = tx.user(args.userId);
  const message = await accessChangeable(tx, user, args.messageId);
  const channel = message.channel_id === null ? undefined : state.knownChannel(message.channel_id);
  if (!channel && args.channelId !== undefined) throw badRequest("Direct messages cannot be moved to channels.");
  if (!channel && args.topic !== undefined) throw badRequest("Direct messages cannot have topics.");
  const move = channel && (await planMove(tx, user, message, channel, args));
  const edited = edit && (await checkEdit(tx, user, message, channel, edit, args.prevContentSha256));
  if (!move && !edited) return { detached_uploads: [] };
  const content = edited && edit && { edited, edit };
  if (channel && move?.great) {
    const detached_uploads = content ? await recordEdit(tx, user, message, channel, { content }, args) : [];
    await beginGreatMove(tx, user, message, channel, move, args);
    return { detached_uploads };
  }
  const detached_uploads = await recordEdit(tx, user, message, channel, { content, move }, args);
  if (channel && move) await endMove(tx, user, channel, message.topic, move, args);
  return { detached_uploads };
}

/** The columns that an edit changes. Undefined when the content stays the same. */
async function checkEdit(
  tx: Tx,
  user: UserRow,
  message: MessageAccess,
  channel: ChannelRow | undefined,
  { content, rendered }: Edit,
  prevContentSha256: string | undefined,
): Promise<EditedContent | undefined> {
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

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
