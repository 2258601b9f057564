/**
 * Answers GET /messages from memory: the newest messages of a person, of a channel or of a topic, around an anchor. Ids
 * come from the index of the history, texts from the cache of messages. What the person received, has read and has
 * starred is kept of those who read lately. PostgreSQL is asked for what is not there.
 */

import type { MessageId, RecipientId } from "../../storage/ids.ts";
import type { Lane } from "../../storage/messages/lanes.ts";
import { firstWithout, includesId } from "../../storage/messages/ranges.ts";
import type { SharedRecord } from "../../storage/messages/shared-records.ts";
import type { Narrowed, TopicList } from "../../storage/narrow/narrow.ts";
import type { Stretch } from "../../storage/narrow/walk.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { Conversation } from "../history/conversation.ts";
import { historyMemory } from "../history/history.ts";
import type { MessageIndex } from "../history/message-index.ts";
import type { ReaderState } from "../history/reader-states.ts";
import { type Track, type WalkOptions, walkFrom } from "../history/walk.ts";
import { canReadMessage } from "../messages/access.ts";
import { type FlagColumns, MessageRenderer, type MessageView } from "../messages/record.ts";
import { isEmailPublic, readableMessages } from "../realm/access.ts";
import { memoryOf } from "../realm/memory.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { Muted, ResolvedNarrow } from "./narrow.ts";

/** Texts that are read from PostgreSQL without knowing their length first. */
const maxUnknownTexts = 250;
/** Length of the texts of one answer. Longer answers are cut elsewhere. */
const maxTextLength = 4 * 1024 * 1024;
/** What a reader finds in a narrow. */
export interface Recalled {
  anchor: MessageId;
  /** Ascending. */
  ids: MessageId[];
  reader: ReaderState;
}

/** Where to begin: at an id, or at the first unread message of the narrow. */
export type RecallStart = MessageId | "first_unread";

/**
 * The ids of a narrow around an anchor. Undefined: PostgreSQL has to be asked.
 *
 * @param stretchAt the range to take, once the anchor is known
 */
export async function recallIds(
  realm: RealmReader,
  user: UserRow,
  narrow: ResolvedNarrow,
  start: RecallStart,
  stretchAt: (anchor: MessageId | undefined) => Stretch,
): Promise<Recalled | undefined> {
  const { index } = memoryOf(realm, historyMemory);
  const kind = index && kindOf(index, narrow);
  if (!index || !kind) return undefined;
  const { readers } = memoryOf(realm, historyMemory);
  // Nothing is awaited where it is in memory.
  const reader = readers.find(user.id) ?? (await readers.read(realm.database.sql, user.id));
  // The index may have been replaced during the query.
  if (memoryOf(realm, historyMemory).index !== index) return undefined;
  const lanes = lanesOf(reader, kind);
  const isReadable = ({ channelId }: Conversation) => {
    const channel = channelId === null ? undefined : realm.state.channels.get(channelId);
    return channelId === null || (channel !== undefined && readableMessages(realm.state, channel, user) !== "none");
  };
  const walk = walkOptions(index, kind, lanes, isReadable);
  if (kind.isUnread) {
    walk.unreadBy = user.id;
    walk.isWhole = hasAllUnread(index, lanes, isReadable);
  }
  let anchor: MessageId | undefined;
  if (start === "first_unread") {
    const isHidden = hiddenTopics(index, narrow.passedOver());
    const first = findFirstUnread({ ...walk, isHidden, unreadBy: user.id }, lanes, isReadable);
    if (first === undefined) return undefined;
    anchor = first === "none" ? undefined : first;
  } else anchor = start;
  const ids = around(walk, stretchAt(anchor));
  if (!ids || (ids[0] !== undefined && ids[0] < reader.flags.low)) return undefined;
  return { anchor: stretchAt(anchor).anchor, ids, reader };
}

interface Kind {
  /** Null: everything that the person received. */
  recipientIds: readonly RecipientId[] | null;
  /** Only messages that the person received. */
  onlyReceived: boolean;
  topicKeys: readonly number[] | undefined;
  /** Only what the person has not read. */
  isUnread: boolean;
}

/** Which lists of the index to walk. Undefined: only PostgreSQL can answer this narrow. */
function kindOf(index: MessageIndex, { scope, conditions }: Narrowed): Kind | undefined {
  let topicKeys: number[] | undefined;
  const isUnread = conditions.some(({ is, negated }) => is === "unread" && !negated);
  for (const condition of conditions) {
    if (condition.is === "unread" && !condition.negated) continue;
    if (condition.is !== "topic" || condition.negated || topicKeys) return undefined;
    topicKeys = [];
    for (const topic of condition.topics) {
      const key = index.topicKey(topic);
      if (key !== undefined) topicKeys.push(key);
    }
  }
  switch (scope.in) {
    case "received":
      // Narrows to topics of several channels are rare, so PostgreSQL answers them.
      return topicKeys ? undefined : { recipientIds: null, onlyReceived: true, topicKeys, isUnread };
    case "history":
      return scope.recipientIds.length === 1
        ? { recipientIds: scope.recipientIds, onlyReceived: isUnread, topicKeys, isUnread }
        : undefined;
    case "receivedIn":
      return { recipientIds: [scope.recipientId], onlyReceived: true, topicKeys, isUnread };
    default:
      return undefined;
  }
}

function lanesOf({ lanes }: ReaderState, { recipientIds }: Kind): Lane[] {
  if (recipientIds === null) return [...lanes.values()];
  return recipientIds.flatMap((recipientId) => lanes.get(recipientId) ?? []);
}

function walkOptions(
  index: MessageIndex,
  { recipientIds, onlyReceived, topicKeys }: Kind,
  lanes: readonly Lane[],
  isReadable: (conversation: Conversation) => boolean,
): WalkOptions {
  const all = onlyReceived || recipientIds === null ? lanes : recipientIds.map((recipientId) => ({ recipientId }));
  return { index, tracks: tracksOf(index, all, isReadable), topicKeys };
}

function tracksOf(
  index: MessageIndex,
  lanes: readonly (Lane | Pick<Lane, "recipientId">)[],
  isReadable: (conversation: Conversation) => boolean,
): Track[] {
  return lanes.flatMap((lane) => {
    const conversation = index.conversation(lane.recipientId);
    return conversation && isReadable(conversation) ? { conversation, lane: "read" in lane ? lane : undefined } : [];
  });
}

/** Whether the index has every unread message of these lanes. */
function hasAllUnread(
  index: MessageIndex,
  lanes: readonly Lane[],
  isReadable: (conversation: Conversation) => boolean,
): boolean {
  return lanes.every(({ recipientId, received, read }) => {
    const conversation = index.conversation(recipientId);
    return (conversation && !isReadable(conversation)) || (firstWithout(received, read) ?? index.floor) >= index.floor;
  });
}

/** The lowest unread id of these lanes, or `none`. Undefined when an unread message may be older than the index. */
function findFirstUnread(
  walk: WalkOptions,
  lanes: readonly Lane[],
  isReadable: (conversation: Conversation) => boolean,
): MessageId | "none" | undefined {
  const { index } = walk;
  if (!hasAllUnread(index, lanes, isReadable)) return undefined;
  const tracks = tracksOf(index, lanes, isReadable);
  const unread = walkFrom({ ...walk, tracks }, Math.max(index.floor - 1, -1), "after", 1);
  return unread && (unread[0] ?? "none");
}

/** Whether the reader muted a topic, by its key in the index. Undefined: they muted none. */
function hiddenTopics(index: MessageIndex, muted: Muted | undefined): WalkOptions["isHidden"] {
  if (!muted) return undefined;
  const keysOf = ({ recipientIds, topics }: TopicList) => {
    const keys = new Map<RecipientId, Set<number | undefined>>();
    for (const [place, recipientId] of recipientIds.entries()) {
      const key = index.topicKey(topics[place]!);
      const known = keys.get(recipientId);
      if (known) known.add(key);
      else keys.set(recipientId, new Set([key]));
    }
    return keys;
  };
  const [topics, except] = [keysOf(muted.topics), keysOf(muted.except)];
  const channels = new Set(muted.channels);
  return (recipientId, topicKey) =>
    topics.get(recipientId)?.has(topicKey) === true ||
    (channels.has(recipientId) && !except.get(recipientId)?.has(topicKey));
}

function around(walk: WalkOptions, stretch: Stretch): MessageId[] | undefined {
  const { anchor, includeAnchor, before, after } = stretch;
  const below = before > 0 ? walkFrom(walk, anchor, "before", before) : [];
  const above = after > 0 ? walkFrom(walk, anchor, "after", after) : [];
  const at = includeAnchor ? walkFrom(walk, anchor - 1, "after", 1) : [];
  if (!below || !above || !at) return undefined;
  return [...below.reverse(), ...(at[0] === anchor ? at : []), ...above];
}

/**
 * The messages of these ids as the reader sees them, as JSON. Two texts, joined by a comma, make one message. Undefined
 * when they are too many or too long.
 */
export async function recallTexts(
  realm: RealmReader,
  user: UserRow,
  { ids, reader }: Recalled,
  view: MessageView,
): Promise<string[] | undefined> {
  const { state } = realm;
  const history = memoryOf(realm, historyMemory);
  let unknown = 0;
  for (const id of ids) if (!history.messages.has(id)) unknown++;
  if (unknown > maxUnknownTexts) return undefined;
  const records = await history.messages.read(realm.database, realm.id, ids);
  const { lanes } = reader;
  const renderer = new MessageRenderer(state, user, view);
  const form = (view.applyMarkdown ? 1 : 0) + (view.clientGravatar ? 2 : 0) + (view.allowEmptyTopicName ? 4 : 0);
  const seesAll = state.may(user, "can_access_all_users_group");
  const texts: string[] = [];
  let length = 0;
  for (const id of ids) {
    // The message was deleted meanwhile, or moved to where the reader has no access.
    const record = records.get(id);
    if (!record) continue;
    const columns = readerColumns(user, record, lanes.get(record.recipient_id), reader);
    const { channel_id, participants } = record;
    if (!canReadMessage(state, { channel_id, participants, received: columns.received }, user)) continue;
    const make = () => renderer.body(record);
    const sender = state.knownUser(record.sender_id);
    const body = seesAll && isEmailPublic(sender) ? history.messages.text(state, record, form, make) : make();
    // The texts are not joined here. They are copied once, when the whole answer is put together.
    texts.push(body, `${renderer.flags(columns)}}`);
    length += body.length;
    if (length > maxTextLength) return undefined;
  }
  return texts;
}

function readerColumns(
  user: UserRow,
  record: SharedRecord,
  lane: Lane | undefined,
  { flags }: ReaderState,
): FlagColumns {
  const rare = flags.byMessage.get(record.id);
  return {
    received:
      record.channel_id === null
        ? (record.participants?.includes(user.id) ?? false)
        : lane !== undefined && includesId(lane.received, record.id),
    is_read:
      (record.sender_id === user.id && record.read_by_sender) ||
      (lane !== undefined && includesId(lane.read, record.id)),
    starred: rare?.starred ?? false,
    collapsed: rare?.collapsed ?? false,
    historical: rare?.historical ?? false,
    mentioned: record.mentioned?.includes(user.id) ?? false,
    channel_wildcard: record.channel_wildcard,
    topic_wildcard: record.topic_participants?.includes(user.id) ?? false,
    alerted: record.alerted?.includes(user.id) ?? false,
  };
}
