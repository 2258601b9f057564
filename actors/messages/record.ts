/** A message as a client gets it. https://zulip.com/api/get-messages */

import type { ChannelId } from "../../storage/ids.ts";
import type { EditHistoryEntry } from "../../storage/messages/messages.ts";
import type { MessageRecordRow } from "../../storage/messages/records.ts";
import type { UserRow } from "../../storage/rows.ts";
import { canSeeEmail, canSeeUser, placeholderEmail } from "../realm/access.ts";
import { emptyTopicDisplayName } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { avatarUrl, unknownSender } from "../users/record.ts";
import { type WireSender, wireConversation, wireSender } from "./wire-message.ts";

/** How the client wants to see messages. */
export interface MessageView {
  clientGravatar: boolean;
  /** HTML; otherwise the Markdown source. */
  applyMarkdown: boolean;
  /** Whether it knows empty topics. Otherwise they have their display name. */
  allowEmptyTopicName: boolean;
}

/** What is the same for every reader. */
export type MessageBody = Omit<MessageRecordRow, keyof ReaderColumns>;

/** What is particular to one reader of a message. */
export type ReaderColumns = Pick<
  MessageRecordRow,
  "received" | "is_read" | "starred" | "collapsed" | "historical" | "mentioned" | "topic_wildcard" | "alerted"
>;

/** What decides about flags. */
export type FlagColumns = ReaderColumns & Pick<MessageRecordRow, "channel_wildcard">;

/** A message's flags for the reader. A message that they never received has `read` and `historical`. */
function flagsOf(row: FlagColumns): string[] {
  const flags: string[] = [];
  if (row.is_read || !row.received) flags.push("read");
  if (row.starred) flags.push("starred");
  if (row.collapsed) flags.push("collapsed");
  if (row.mentioned) flags.push("mentioned");
  const channelWildcard = row.channel_wildcard && row.received;
  if (channelWildcard) flags.push("stream_wildcard_mentioned");
  if (row.topic_wildcard) flags.push("topic_wildcard_mentioned");
  if (channelWildcard || row.topic_wildcard) flags.push("wildcard_mentioned");
  if (row.alerted) flags.push("has_alert_word");
  if (!row.received || row.historical) flags.push("historical");
  return flags;
}

/** What a reader may know of a message's edits, newest first; undefined when there is nothing. */
export function visibleEdits(
  state: RealmState,
  edits: readonly EditHistoryEntry[] | null,
): EditHistoryEntry[] | undefined {
  const policy = state.setting("message_edit_history_visibility_policy");
  if (!edits || edits.length === 0 || policy === "none") return undefined;
  if (policy === "all") return [...edits];
  const moves = edits
    .filter((edit) => edit.prev_topic !== undefined || edit.prev_stream !== undefined)
    .map(({ prev_content: _, prev_rendered_content: __, ...move }) => move);
  return moves.length > 0 ? moves : undefined;
}

/** The topic as the client may see it. */
export function shownTopic(topic: string, view: Pick<MessageView, "allowEmptyTopicName">): string {
  return topic === "" && !view.allowEmptyTopicName ? emptyTopicDisplayName : topic;
}

/** An edit history entry, its topics as the client may see them. */
export function shownEdit(edit: EditHistoryEntry, view: Pick<MessageView, "allowEmptyTopicName">): EditHistoryEntry {
  const shown = { ...edit };
  if (shown.topic !== undefined) shown.topic = shownTopic(shown.topic, view);
  if (shown.prev_topic !== undefined) shown.prev_topic = shownTopic(shown.prev_topic, view);
  return shown;
}

const flagColumns = [
  "received",
  "is_read",
  "starred",
  "collapsed",
  "historical",
  "mentioned",
  "channel_wildcard",
  "topic_wildcard",
  "alerted",
] as const satisfies (keyof FlagColumns)[];

/** Renders the messages of one answer as JSON. An answer has a hundred of them, with little difference. */
export class MessageRenderer {
  /** The fields that a sender decides, and those that a topic of a conversation does, without braces. */
  readonly #senders = new Map<string, string>();
  readonly #places = new Map<string, string>();
  readonly #clients = new Map<string, string>();
  readonly #flags = new Map<number, string>();

  /** @param reader undefined: a spectator, who gets placeholder addresses only */
  constructor(
    private readonly state: RealmState,
    private readonly reader: UserRow | undefined,
    private readonly view: MessageView,
  ) {}

  /** @param more fields to add */
  render(row: MessageRecordRow, more?: Readonly<Record<string, unknown>>): string {
    const text = `${this.body(row)},${this.flags(row)}`;
    return more ? `${text},${JSON.stringify(more).slice(1, -1)}}` : `${text}}`;
  }

  /** The beginning of the object, without the reader's flags. */
  body(row: MessageBody): string {
    const { state, view } = this;
    const edits = visibleEdits(state, row.edit_history);
    let text = `${this.#sharedFields(row)},"id":${row.id},"timestamp":${row.sent_at}`;
    text += `,"content":${JSON.stringify(view.applyMarkdown ? row.rendered_content : row.content)}`;
    text += `,"client":${this.#client(row.client)},"is_me_message":${row.is_me_message}`;
    text += `,"reactions":${row.reactions ? JSON.stringify(row.reactions) : "[]"}`;
    text += `,"submessages":${row.submessages ? JSON.stringify(row.submessages) : "[]"}`;
    if (edits) text += `,"edit_history":${JSON.stringify(edits.map((edit) => shownEdit(edit, view)))}`;
    if (row.last_edit_at !== null) text += `,"last_edit_timestamp":${row.last_edit_at}`;
    if (row.last_moved_at !== null) text += `,"last_moved_timestamp":${row.last_moved_at}`;
    return text;
  }

  /** The field `flags`: made once for all messages that have the same ones. */
  flags(row: FlagColumns): string {
    let key = 0;
    for (const column of flagColumns) key = key * 2 + (row[column] ? 1 : 0);
    let text = this.#flags.get(key);
    if (text === undefined) this.#flags.set(key, (text = `"flags":${JSON.stringify(flagsOf(row))}`));
    return text;
  }

  #client(name: string): string {
    let text = this.#clients.get(name);
    if (text === undefined) this.#clients.set(name, (text = JSON.stringify(name)));
    return text;
  }

  /** By sender and by conversation: there are fewer of either than of both together. */
  #sharedFields({ sender_id, recipient_id, channel_id, topic, participants }: MessageBody): string {
    const { state, view } = this;
    const ofSender = textOf(this.#senders, `${sender_id}:${channel_id === null}`, () => {
      const sender = state.knownUser(sender_id);
      const {
        gravatar,
        hidden_gravatar: hidden,
        ...fields
      } = {
        ...wireSender(state, sender),
        ...this.#disguise(channel_id, sender),
      };
      const isLeftOut = gravatar && view.clientGravatar;
      if (isLeftOut) return { ...fields, avatar_url: null };
      return hidden !== undefined && canSeeEmail(sender, this.reader) ? { ...fields, avatar_url: hidden } : fields;
    });
    const ofPlace = textOf(this.#places, `${recipient_id}:${topic}`, () => {
      const fields = wireConversation(state, { recipient_id, channel_id, topic }, participants ?? undefined);
      return {
        ...fields,
        content_type: view.applyMarkdown ? "text/html" : "text/x-markdown",
        subject: fields.type === "stream" ? shownTopic(topic, view) : "",
      };
    });
    return `{${ofSender},${ofPlace}`;
  }

  /**
   * What the reader gets in place of the sender's fields, if they may not know of the sender. People in one's direct
   * conversations may be known.
   */
  #disguise(channel_id: ChannelId | null, sender: UserRow): Partial<WireSender> {
    const { state, reader } = this;
    if (reader === undefined) {
      if (sender.is_system_bot) return {};
      const avatar_url = avatarUrl(state, sender, undefined);
      return { gravatar: false, avatar_url, sender_email: placeholderEmail(state, sender.id) };
    }
    return channel_id === null || canSeeUser(state, sender, reader) ? {} : unknownSender(state, sender.id);
  }
}

/** The fields of an object as JSON, made once for each key. */
function textOf(known: Map<string, string>, key: string, make: () => object): string {
  let text = known.get(key);
  if (text === undefined) known.set(key, (text = JSON.stringify(make()).slice(1, -1)));
  return text;
}
