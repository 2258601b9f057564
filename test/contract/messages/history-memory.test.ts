/** What a node answers from memory about messages is what PostgreSQL says, after random things people do. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { History } from "../../../actors/history/history.ts";
import type { MessageIndex } from "../../../actors/history/message-index.ts";
import type { ReaderState } from "../../../actors/history/reader-states.ts";
import { newestReceived, unreadIn } from "../../../actors/history/unread.ts";
import { fetchAround } from "../../../actors/narrow/fetch-messages.ts";
import { resolveNarrow } from "../../../actors/narrow/narrow.ts";
import { recallIds } from "../../../actors/narrow/recall.ts";
import type { Realm } from "../../../actors/realm/realm.ts";
import { encodeParts } from "../../../actors/text/json-text.ts";
import { includesId } from "../../../storage/messages/ranges.ts";
import { readReaderState } from "../../../storage/messages/shared-records.ts";
import { findMaxMessageId, findUnread } from "../../../storage/register.ts";
import { compareRegister, forgetful, historyOf, remembering } from "../../support/server/register-memory.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const people = [server.owner, ...server.people("Ada", ["Bob", 600])];
const open = server.channel("open", people);
const other = server.channel("other", people.slice(0, 2));
const closed = server.channel("closed", people, { invite_only: true, history_public_to_subscribers: false });

describe("messages in memory", () => {
  it("are what PostgreSQL has, whatever happens", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        for (const action of steps) {
          await take(action);
          await compareReaders();
        }
        await compare();
      }),
      { numRuns: 8, endOnFailure: true },
    );
  }, 300_000);
});

const who = fc.nat({ max: 2 });

const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });

const channelIndex = fc.nat({ max: 2 });

const topic = fc.constantFrom("tea", "Tea", "ΟΔΌΣ", "");

/** Of the lists that a register tells. */
const listed = fc.constantFrom("drafts", "saved_snippets", "navigation_views", "reminders", "bots");

const text = fc.constantFrom("hello", "@**Ada** look", "@**all** look", "@**topic** look", "bye **now**");

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("send" as const), who, channelIndex, topic, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("direct" as const), who, to: who, text }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("read" as const), who, picks, op: fc.constantFrom("add", "remove") }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("star" as const), who, picks, op: fc.constantFrom("add", "remove") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("move" as const), picks, channelIndex, topic, all: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("edit" as const), picks, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), picks }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("react" as const), who, picks }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), who, channelIndex }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("join" as const), who, channelIndex }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("readChannel" as const), who, channelIndex }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const), who, name: fc.constantFrom("Ada", "Ida") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("mute" as const), who, whom: who }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("list" as const), who, what: listed }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const sent: number[] = [];

const chosen = (numbers: readonly number[]): number[] =>
  sent.length === 0 ? [] : [...new Set(numbers.map((number) => sent[number % sent.length]!))];

/** Does it; refusals are part of life. */
async function take(action: Step): Promise<void> {
  const channels = [open, other, closed];
  const owner = server.owner.client;
  switch (action.do) {
    case "send": {
      const to = channels[action.channelIndex]!.id;
      const fields = { type: "stream", to, topic: action.topic, content: action.text, read_by_sender: action.who > 0 };
      const { body } = await people[action.who]!.client.post("/messages", fields);
      if (typeof body["id"] === "number") sent.push(body["id"]);
      return;
    }
    case "direct": {
      const fields = { type: "direct", to: [people[action.to]!.id], content: action.text };
      const { body } = await people[action.who]!.client.post("/messages", fields);
      if (typeof body["id"] === "number") sent.push(body["id"]);
      return;
    }
    case "read":
    case "star": {
      const flag = action.do === "star" ? "starred" : "read";
      const fields = { messages: chosen(action.picks), op: action.op, flag };
      await people[action.who]!.client.post("/messages/flags", fields);
      return;
    }
    case "move": {
      const [id] = chosen(action.picks);
      const fields = {
        topic: action.topic,
        stream_id: channels[action.channelIndex]!.id,
        propagate_mode: action.all ? "change_all" : "change_one",
        send_notification_to_old_thread: action.all,
      };
      await owner.patch(`/messages/${id ?? 0}`, fields);
      return;
    }
    case "edit":
      await owner.patch(`/messages/${chosen(action.picks)[0] ?? 0}`, { content: action.text });
      return;
    case "delete":
      await owner.delete(`/messages/${chosen(action.picks)[0] ?? 0}`, {});
      return;
    case "react":
      await people[action.who]!.client.post(`/messages/${chosen(action.picks)[0] ?? 0}/reactions`, {
        emoji_name: "tada",
      });
      return;
    case "leave":
    case "join": {
      const { name } = channels[action.channelIndex]!;
      const principals = [people[action.who]!.id];
      if (action.do === "leave") await owner.delete("/users/me/subscriptions", { subscriptions: [name], principals });
      else await owner.post("/users/me/subscriptions", { subscriptions: [{ name }], principals });
      return;
    }
    case "readChannel":
      await people[action.who]!.client.post("/mark_stream_as_read", { stream_id: channels[action.channelIndex]!.id });
      return;
    case "rename":
      await owner.patch(`/users/${people[action.who]!.id}`, { full_name: `${action.name} ${action.who}` });
      return;
    case "mute":
      await people[action.who]!.client.post(`/users/me/muted_users/${people[action.whom]!.id}`, {});
      return;
    case "list":
      await people[action.who]!.client.post(`/${action.what}`, itemOf(action.what));
      return;
  }
}

function itemOf(list: string): Record<string, unknown> {
  const name = `item${items++}`;
  switch (list) {
    case "drafts":
      return { drafts: [{ type: "", to: [], topic: "", content: name, timestamp: items }] };
    case "saved_snippets":
      return { title: name, content: name };
    case "navigation_views":
      return { fragment: `narrow/is/${name}`, is_pinned: true, name };
    case "reminders":
      return { message_id: sent.at(-1) ?? 0, scheduled_delivery_timestamp: 4_000_000_000 };
    default:
      return { full_name: name, short_name: name };
  }
}

let items = 0;

/** What is kept of each person is what PostgreSQL says of every message. Afterwards it is kept of everybody. */
async function compareReaders(): Promise<void> {
  for (const realm of await server.realms()) {
    await historyOf(realm).filled();
    const { index, readers } = historyOf(realm);
    for (const { id: userId } of people) {
      const kept = readers.find(userId);
      const stored = await readReaderState(realm.database.sql, userId);
      const lanes = new Map(stored.lanes.map((lane) => [lane.recipientId, lane]));
      if (kept) expect(factsOf(index!, userId, kept)).toEqual(factsOf(index!, userId, { ...stored, lanes }));
      await compareRegister(realm, userId);
      await readers.read(realm.database.sql, userId);
    }
  }
}

/** What the person sees of each message: what they did not receive counts as read. */
function factsOf(index: MessageIndex, userId: number, { lanes, flags }: Pick<ReaderState, "lanes" | "flags">) {
  return sent.flatMap((id) => {
    const place = index.find(id);
    if (!place) return [];
    const lane = lanes.get(place.recipientId);
    const received = lane !== undefined && includesId(lane.received, id);
    const sentAndRead = place.senderId === userId && place.isReadBySender;
    return [
      { id, received, unread: received && !sentAndRead && !includesId(lane.read, id), flags: flags.byMessage.get(id) },
    ];
  });
}

async function compareUnread(realm: Realm, index: MessageIndex, userId: number, max: number): Promise<void> {
  const { sql } = realm.database;
  const { lanes } = await readReaderState(sql, userId);
  const inMemory = unreadIn(index, lanes, userId, { max, below: Number.POSITIVE_INFINITY });
  expect(inMemory).toEqual(await findUnread(sql, realm.id, userId, max));
  expect(newestReceived(index, lanes, Number.POSITIVE_INFINITY)).toBe(await findMaxMessageId(sql, userId));
}

async function compareNarrow(realm: Realm, userId: number, terms: Terms, request: Request): Promise<void> {
  const user = realm.state.users.get(userId)!;
  const view = { applyMarkdown: true, clientGravatar: false, allowEmptyTopicName: true };
  const answer = async (from: Realm) => {
    try {
      const { messages, ...found } = await fetchAround(from, user, terms, request, view);
      return { ...found, messages: (JSON.parse(textOf(messages)) as Message[]).map(sorted) };
    } catch (error) {
      return { error: String(error) };
    }
  };
  const stored = await answer(forgetful(realm));
  expect(await answer(realm)).toEqual(stored);
  // From memory twice: the second time nothing is read anew.
  expect(await answer(realm)).toEqual(stored);
  if ("error" in stored) return;
  const narrow = await resolveNarrow(realm.state, realm.database.sql, user, terms);
  if (narrow.scope.in === "nothing") return;
  const start = request.anchor === "first_unread" ? request.anchor : 0;
  const stretch = { anchor: 0, includeAnchor: true, before: 0, after: 5 };
  if (historyOf(realm).index!.floor > 0) return;
  expect(await recallIds(realm, user, narrow, start, () => stretch), "is not in memory").toBeDefined();
}

type Request = Parameters<typeof fetchAround>[3];
type Terms = Parameters<typeof resolveNarrow>[3];

interface Message {
  id: number;
  flags: string[];
}

const textOf = (messages: { pieces: readonly unknown[] }): string => {
  const bytes = Buffer.concat(encodeParts([{ messages }]).map((part) => part.bytes));
  return bytes.toString().slice('{"messages":'.length, -1);
};

const sorted = (message: Message): Message => ({ ...message, flags: [...message.flags].sort() });

async function compare(): Promise<void> {
  for (const realm of await server.realms()) {
    await historyOf(realm).filled();
    const fresh = new History(realm.loaded!, 1e6, 7);
    await fresh.filled();
    // It has the newest few messages.
    const small = new History(realm.loaded!, 1_500, 7);
    await small.filled();

    const term = (operator: string, operand: unknown) => ({ operator, operand, negated: false });
    const unread = term("is", "unread");
    const narrows = [
      [],
      [unread],
      ...[open.id, other.id, closed.id].flatMap((channel) => [
        [term("channel", channel)],
        [term("channel", channel), term("topic", "tea")],
        [term("channel", channel), term("topic", "οδόσ")],
        [term("channel", channel), unread],
        [term("channel", channel), term("topic", "tea"), unread],
      ]),
    ];
    const common = { includeAnchor: true, numBefore: 6, numAfter: 4 };
    const anchors = ["newest" as const, "first_unread" as const, sent[Math.floor(sent.length / 2)] ?? 1];
    for (const { id } of people) {
      for (const index of [historyOf(realm).index!, fresh.index!]) {
        await compareUnread(realm, index, id, 1000);
        await compareUnread(realm, index, id, 3);
      }
      for (const terms of narrows)
        for (const anchor of anchors)
          for (const memory of [realm, remembering(realm, small)])
            await compareNarrow(memory, id, terms, { ...common, anchor });
    }
  }
}
