/** Imports messages with their edits and mentions. */
import { type Infer, integer, max, min, nullable, number, optional, string, type } from "superstruct";
import { defined } from "../../../storage/failures.ts";
import type { ChannelId, RecipientId, UserId } from "../../../storage/ids.ts";
import type { EditHistoryEntry } from "../../../storage/messages/messages.ts";
import type { BulkRow } from "../../../storage/transfer/imports.ts";
import { renderPlainText } from "../../markdown/render.ts";
import { widgetOf } from "../../messages/widgets.ts";
import { limits } from "../../realm/state/settings.ts";
import { asLine, beginning, storable } from "../../text/texts.ts";
import { maxTime } from "../checks/columns.ts";
import type { ZulipExport } from "./export.ts";
import type { IdMaps, NewPlace } from "./ids.ts";
import { emojiCode } from "./people.ts";
import type { FileReceipts } from "./receipts.ts";
import type { Place } from "./survey.ts";
import type { MessageTable, OldChannelId, OldMessageId, OldUserId } from "./tables.ts";
import type { TextRewriter } from "./texts.ts";

export interface MessageSources {
  ids: IdMaps;
  texts: TextRewriter;
  /** Old client id → its name. */
  clients: ReadonlyMap<number, string>;
  hasReactions(id: OldMessageId): boolean;
  /** The export has what was added to polls and lists. */
  hasSubmessages: boolean;
  placeOf(message: MessageTable): NewPlace | undefined;
}

export interface ImportedMessages {
  messages: BulkRow<"messages">[];
  submessages: BulkRow<"submessages">[];
}

/** @param receipts of the file that they are in */
export function messageRows(
  messages: readonly MessageTable[],
  receipts: FileReceipts,
  sources: MessageSources,
): ImportedMessages {
  const { ids, texts } = sources;
  const result: ImportedMessages = { messages: [], submessages: [] };
  for (const message of messages) {
    const place = sources.placeOf(message);
    const id = ids.messages.get(message.id);
    const sender_id = ids.users.get(message.sender);
    if (place === undefined || id === undefined || sender_id === undefined) continue;
    const known = receipts.ours.get(message.id);
    const told = receipts.of.get(message.id);
    const translated = (old: readonly OldUserId[] | undefined, own: UserId[] | undefined): UserId[] | null => {
      const found = old ? old.flatMap((user) => ids.users.get(user) ?? []) : (own ?? []);
      return found.length > 0 ? found.sort((a, b) => a - b) : null;
    };
    const edits = message.edit_history === null ? null : readEdits(message.edit_history, sources);
    const rendered =
      message.rendered_content === null
        ? renderPlainText(message.content).html
        : texts.html(message.rendered_content, message.content);
    const topicParticipants = told?.topicParticipants ?? [];
    result.messages.push({
      id,
      realm_id: ids.realm,
      recipient_id: place.recipientId,
      channel_id: place.channelId,
      sender_id,
      topic: place.channelId === null ? "" : message.subject,
      content: texts.markdown(message.content),
      rendered_content: rendered,
      sent_at: Math.floor(message.date_sent),
      client: sources.clients.get(message.sending_client) ?? "Unspecified",
      is_me_message: known?.is_me_message ?? isMeMessage(message.content, rendered),
      has_link: message.has_link,
      has_image: message.has_image,
      has_attachment: message.has_attachment,
      has_reaction: sources.hasReactions(message.id),
      read_by_sender: known?.read_by_sender ?? !told?.isUnreadBySender,
      channel_wildcard: known?.channel_wildcard ?? told?.hasChannelWildcard ?? false,
      topic_wildcard: known?.topic_wildcard ?? topicParticipants.length > 0,
      mentioned: translated(known?.mentioned, told?.mentioned),
      topic_participants: translated(known?.topic_participants, topicParticipants),
      alerted: translated(known?.alerted, told?.alerted),
      edit_history: edits,
      last_edit_at: edits ? lastOf(edits, (edit) => edit.prev_content !== undefined) : untold(message.last_edit_time),
      last_moved_at: lastOf(edits, (edit) => edit.prev_topic !== undefined || edit.prev_stream !== undefined),
    });
    // Zulip's exports have no votes. The poll itself can be used again.
    const widget = sources.hasSubmessages ? undefined : widgetOf(message.content);
    if (widget !== undefined)
      result.submessages.push({ message_id: id, realm_id: ids.realm, sender_id, msg_type: "widget", content: widget });
  }
  return result;
}

const isMeMessage = (content: string, rendered: string): boolean =>
  content.startsWith("/me ") && rendered.startsWith("<p>") && rendered.endsWith("</p>") && !content.includes("\n\n");

/** An edit, in the stored form but with ids of the old server. */
const oldEdit = type({
  user_id: nullable(number()),
  timestamp: min(max(integer(), maxTime), 0),
  prev_content: optional(string()),
  prev_rendered_content: optional(nullable(string())),
  prev_topic: optional(string()),
  topic: optional(string()),
  prev_stream: optional(number()),
  stream: optional(number()),
});

/** Newest first, as they are stored here too. What is no edit is left out. */
function readEdits(json: string, { ids, texts }: MessageSources): EditHistoryEntry[] | null {
  const edits = oldEdits(json).map((edit) => ({
    user_id: edit.user_id === null ? null : (ids.users.get(edit.user_id) ?? null),
    timestamp: edit.timestamp,
    ...(edit.prev_content !== undefined && {
      prev_content: texts.markdown(beginning(edit.prev_content, limits.message)),
    }),
    ...(edit.prev_rendered_content != null && {
      prev_rendered_content: texts.html(edit.prev_rendered_content, edit.prev_content ?? ""),
    }),
    ...(edit.prev_topic !== undefined && { prev_topic: topicOf(edit.prev_topic) }),
    ...(edit.topic !== undefined && { topic: topicOf(edit.topic) }),
    ...channelsOf(edit, ids),
  }));
  return edits.length === 0 ? null : edits;
}

const topicOf = (topic: string): string => beginning(asLine(topic), limits.topic);

function oldEdits(json: string): Infer<typeof oldEdit>[] {
  try {
    const edits: unknown = JSON.parse(json, (_, value) => (typeof value === "string" ? storable(value) : value));
    return Array.isArray(edits) ? edits.filter((edit) => oldEdit.is(edit)) : [];
  } catch {
    return [];
  }
}

function channelsOf(
  { prev_stream, stream }: Infer<typeof oldEdit>,
  ids: IdMaps,
): { prev_stream?: ChannelId; stream?: ChannelId } {
  const [before, after] = [ids.channels.get(prev_stream ?? 0), ids.channels.get(stream ?? 0)];
  return { ...(before !== undefined && { prev_stream: before }), ...(after !== undefined && { stream: after }) };
}

/** Of an edit whose earlier text nobody kept: by the retention of edits, or in another program. */
const untold = (at: number | null | undefined): number | null => (at == null ? null : Math.floor(at));

function lastOf(
  edits: readonly EditHistoryEntry[] | null,
  isMeant: (edit: EditHistoryEntry) => boolean,
): number | null {
  return edits?.find(isMeant)?.timestamp ?? null;
}

export function* reactionRows(from: ZulipExport, ids: IdMaps): Generator<BulkRow<"reactions">> {
  for (const row of from.reactions.inOrder()) {
    const [message_id, user_id] = [ids.messages.get(row.message), ids.users.get(row.user_profile)];
    const emoji_code = emojiCode(row, ids);
    if (message_id === undefined || user_id === undefined || emoji_code === undefined) continue;
    const { emoji_name, reaction_type } = row;
    yield { message_id, user_id, realm_id: ids.realm, emoji_name, emoji_code, reaction_type };
  }
}

export function submessageRows(from: ZulipExport, ids: IdMaps): BulkRow<"submessages">[] {
  return [...from.rows("zerver_submessage")]
    .sort((a, b) => a.id - b.id)
    .flatMap((row) => {
      const [message_id, sender_id] = [ids.messages.get(row.message), ids.users.get(row.sender)];
      if (message_id === undefined || sender_id === undefined) return [];
      return [{ message_id, realm_id: ids.realm, sender_id, msg_type: row.msg_type, content: row.content }];
    });
}

/** Translates a conversation of the old server. */
export const newPlace = (
  place: Place | undefined,
  channels: { ids: ReadonlyMap<OldChannelId, ChannelId>; recipients: ReadonlyMap<OldChannelId, RecipientId> },
  conversationRecipients: readonly RecipientId[],
): NewPlace | undefined => {
  if (place === undefined) return undefined;
  if ("conversation" in place)
    return {
      recipientId: defined(conversationRecipients[place.conversation], "conversation recipient"),
      channelId: null,
    };
  const channelId = channels.ids.get(place.channel);
  return channelId === undefined
    ? undefined
    : { recipientId: defined(channels.recipients.get(place.channel), "recipient"), channelId };
};
