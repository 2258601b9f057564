/** The rows of a list of messages: dates, headings of conversations, the line before unread messages, messages. */

import type { MessageCache } from "../../../client/state/message-cache.ts";
import type { Message } from "../../../client/types.ts";
import { conversationKey } from "../../model/drafts.ts";
import type { MessageRange } from "../../model/lists/message-range.ts";
import type { Pending } from "../../model/outbox.ts";
import { type Conversation, conversationOfMessage } from "../../wire/narrow.ts";
import { dayAround } from "../parts/dates.ts";
import { keepRows } from "../parts/keep-rows.ts";
import type { Row } from "./virtual-list.tsx";

export type MessageRow = Row &
  (
    | { kind: "begin" }
    | { kind: "more" }
    | { kind: "date"; at: number }
    | { kind: "unread" }
    | { kind: "conversation"; conversation: Conversation; at: number }
    | { kind: "message"; message: Message; marked: string | undefined; isFirst: boolean }
    | { kind: "pending"; pending: Pending; isFirst: boolean }
  );

/** Messages of one sender within so many seconds share one name and avatar. */
const groupSecs = 10 * 60;
/** Estimated heights in pixels of rows that are not drawn yet. */
const heightOf = { date: 38, unread: 26, conversation: 44, first: 60, next: 28, line: 22 };
const charactersALine = 90;

const estimateOf = (message: Message, isFirst: boolean): number =>
  (isFirst ? heightOf.first : heightOf.next) +
  Math.min(40, Math.floor(message.content.length / charactersALine)) * heightOf.line;

interface Facts {
  me: number;
  /** The first unread message when the list was opened. */
  firstUnread: number | undefined;
  hasConversations: boolean;
  pending: readonly Pending[];
}

/** @param before the previous rows; an unchanged row stays the same object, and is not drawn again */
export function rowsOf(
  list: MessageRange,
  cache: MessageCache,
  facts: Facts,
  before: readonly MessageRow[] = [],
): MessageRow[] {
  return keepRows(newRows(list, cache, facts), before, saysTheSame);
}

/** The conversation of a row, in a list that shows several. */
export function conversationAt(rows: readonly MessageRow[], at: number): Conversation | undefined {
  // Each day begins with the heading of its first conversation.
  const step = rows[at]?.kind === "date" ? 1 : -1;
  for (let index = at, row = rows[index]; row; index += step, row = rows[index]) {
    if (row.kind === "conversation") return row.conversation;
  }
  return undefined;
}

function saysTheSame(one: MessageRow, other: MessageRow): boolean {
  if (one.kind === "message")
    return (
      other.kind === "message" &&
      one.message === other.message &&
      one.marked === other.marked &&
      one.isFirst === other.isFirst
    );
  if (one.kind === "pending")
    return other.kind === "pending" && one.pending === other.pending && one.isFirst === other.isFirst;
  if (one.kind === "conversation")
    return other.kind === "conversation" && conversationKey(one.conversation) === conversationKey(other.conversation);
  // The text of a date depends on the present day.
  return one.kind === other.kind && one.kind !== "date";
}

function newRows(
  list: MessageRange,
  cache: MessageCache,
  { me, firstUnread, hasConversations, pending }: Facts,
): MessageRow[] {
  const rows: MessageRow[] = [
    list.hasOldest ? { key: "begin", kind: "begin", estimate: 60 } : { key: "more", kind: "more", estimate: 40 },
  ];
  let before: Message | undefined;
  let conversation = "";
  let day = { from: 0, to: 0 };
  for (const id of list.ids) {
    const message = cache.get(id);
    if (!message) continue;
    let isFirst = !before || !continues(before, message);
    const { timestamp } = message;
    const isOfNewDay = timestamp < day.from || timestamp >= day.to;
    if (isOfNewDay) {
      day = dayAround(timestamp);
      rows.push({ key: `date-${id}`, kind: "date", at: timestamp, estimate: heightOf.date });
      isFirst = true;
    }
    if (id === firstUnread) {
      rows.push({ key: "unread", kind: "unread", estimate: heightOf.unread });
      isFirst = true;
    }
    if (hasConversations && (isFirst || !before || !isInOneTopic(before, message))) {
      const now = conversationOfMessage(message, me);
      const key = conversationKey(now);
      if (key !== conversation || isOfNewDay) {
        rows.push({
          key: `in-${id}`,
          kind: "conversation",
          conversation: now,
          at: timestamp,
          estimate: heightOf.conversation,
        });
        isFirst = true;
      }
      conversation = key;
    }
    const marked = list.markedContent(message);
    rows.push({ key: `m${id}`, kind: "message", message, marked, isFirst, estimate: estimateOf(message, isFirst) });
    before = message;
  }
  if (list.hasNewest)
    for (const [index, one] of pending.entries()) {
      const isFirst = index === 0 ? before?.sender_id !== me : false;
      rows.push({ key: `p${one.localId}`, kind: "pending", pending: one, isFirst, estimate: heightOf.first });
    }
  else rows.push({ key: "after", kind: "more", estimate: 40 });
  return rows;
}

const isInOneTopic = (before: Message, message: Message): boolean =>
  before.type === "stream" && before.stream_id === message.stream_id && before.subject === message.subject;

const continues = (before: Message, message: Message): boolean =>
  before.sender_id === message.sender_id &&
  message.timestamp - before.timestamp < groupSecs &&
  before.stream_id === message.stream_id &&
  before.subject === message.subject &&
  before.type === message.type &&
  !message.is_me_message &&
  !before.is_me_message;
