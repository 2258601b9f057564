/**
 * What people have read, as multiranges, against a naive model: a set of message ids each. Random histories of sending,
 * reading, unreading, deleting and moving messages; after each step every message must be read or unread as the model
 * says.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { RecipientId } from "../../../storage/ids.ts";
import { carryReadState } from "../../../storage/messages/carry.ts";
import { deleteMessageRows } from "../../../storage/messages/changes.ts";
import { findFlagStates } from "../../../storage/messages/flags.ts";
import { includesId } from "../../../storage/messages/ranges.ts";
import {
  addReceived,
  beginReceiving,
  endReceiving,
  findReaders,
  findUnreadOf,
  markAllRead,
  markRead,
  markUnread,
} from "../../../storage/messages/read-state.ts";
import { readReaderState } from "../../../storage/messages/shared-records.ts";
import { migrate } from "../../../storage/migrate.ts";
import type { Narrowed } from "../../../storage/narrow/narrow.ts";
import { findAround } from "../../../storage/narrow/walk.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { findUnread } from "../../../storage/register.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

const reader = 1;
const sender = 2;
const channels = [11, 12, 13] as [RecipientId, RecipientId, RecipientId];
const [channel] = channels;
const direct = 14 as RecipientId;
const conversations = [...channels, direct];
const realmId = 1;

let testDatabase: TestDatabase;
let database: Database;
let nextId = 1;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 4 });
  await migrate(database);
  await database.sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

async function send(recipientId: number, from = sender, readBySender = false): Promise<number> {
  // Other conversations take ids in between.
  const id = (nextId += 1 + (nextId % 3));
  const channelId = recipientId === direct ? null : recipientId;
  await database.sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client, read_by_sender)
    values (${id}, ${realmId}, ${recipientId}, ${channelId}, ${from}, 't', 'c', 'c', 0, 'test', ${readBySender})`;
  return id;
}

async function reset(): Promise<void> {
  await database.sql`truncate messages, read_states, read_segments, received, direct_conversation_members, direct_conversations, message_flags`;
  await database.sql`insert into direct_conversations (recipient_id, realm_id, user_ids) values (${direct}, ${realmId}, ${"{1,2}"}::text::bigint[])`;
  await database.sql`insert into direct_conversation_members (user_id, recipient_id) values (1, ${direct}), (2, ${direct})`;
  const pairs = channels.map((recipient_id) => ({ user_id: reader, recipient_id }));
  await beginReceiving(database.sql, realmId, pairs, 0);
}

interface ModelMessage {
  conversation: number;
  isRead: boolean;
  isOwn?: boolean;
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("send" as const), to: fc.constantFrom(...conversations) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("sendOwn" as const),
      to: fc.constantFrom(...conversations),
      read: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("read" as const), picks: fc.array(fc.nat(), { maxLength: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("unread" as const), picks: fc.array(fc.nat(), { maxLength: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("delete" as const), picks: fc.array(fc.nat(), { maxLength: 2 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("readAll" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("readOne" as const), of: fc.constantFrom(...conversations) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      from: fc.constantFrom(...channels),
      to: fc.constantFrom(...channels),
      picks: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function take(model: Map<number, ModelMessage>, action: Step): Promise<void> {
  const { sql } = database;
  const ids = [...model.keys()];
  const pick = (picks: number[], among = ids) =>
    among.length === 0 ? [] : [...new Set(picks.map((n) => among[n % among.length]!))].sort((a, b) => a - b);
  const newest = ids.at(-1) ?? 0;
  switch (action.do) {
    case "send":
      model.set(await send(action.to), { conversation: action.to, isRead: false });
      break;
    case "sendOwn":
      model.set(await send(action.to, reader, action.read), {
        conversation: action.to,
        isRead: action.read,
        isOwn: true,
      });
      break;
    case "read":
    case "unread": {
      const picked = pick(action.picks);
      await (action.do === "read" ? markRead : markUnread)(sql, realmId, reader, picked);
      for (const id of picked) model.get(id)!.isRead = action.do === "read";
      break;
    }
    case "delete": {
      const picked = pick(action.picks);
      await deleteMessageRows(sql, realmId, picked);
      for (const id of picked) model.delete(id);
      break;
    }
    case "readAll":
      await markAllRead(sql, realmId, reader, newest);
      for (const message of model.values()) message.isRead = true;
      break;
    case "readOne":
      await markAllRead(sql, realmId, reader, newest, action.of);
      for (const message of model.values()) if (message.conversation === action.of) message.isRead = true;
      break;
    case "move": {
      if (action.from === action.to) break;
      const movable = ids.filter((id) => model.get(id)!.conversation === action.from);
      const picked = pick(action.picks, movable);
      if (picked.length === 0) break;
      await carryReadState(sql, realmId, action.from, { recipientId: action.to, isProtected: false }, picked, {
        keepers: [reader],
        readers: [],
      });
      await sql`update messages set recipient_id = ${action.to}, channel_id = ${action.to} where id in ${sql(picked)}`;
      for (const id of picked) model.get(id)!.conversation = action.to;
      break;
    }
  }
}

/** Every page of `is:unread` around every third message, and the lanes that a node keeps, say the same. */
async function walksBothWays(model: Map<number, ModelMessage>): Promise<void> {
  const { sql } = database;
  const unread = [...model].filter(([, { isRead }]) => !isRead).map(([id]) => id);
  const narrowed: Narrowed = {
    realmId,
    userId: reader,
    scope: { in: "received", limits: () => ({ readable: [...channels], unreadable: [], onlyReceived: [] }) },
    conditions: [{ is: "unread", negated: false }],
  };
  for (const anchor of [...model.keys()].filter((_, index) => index % 3 === 0)) {
    const page = await findAround(sql, narrowed, { anchor, includeAnchor: true, before: 2, after: 2 });
    const [below, above] = [unread.filter((id) => id < anchor), unread.filter((id) => id > anchor)];
    const at = unread.filter((id) => id === anchor);
    expect(page).toEqual([...below.slice(-2), ...at, ...above.slice(0, 2)]);
  }
  const { lanes } = await readReaderState(sql, reader);
  const read = new Map(lanes.map((lane) => [lane.recipientId as number, lane.read]));
  for (const [id, { conversation, isRead, isOwn }] of model)
    if (!isOwn) expect(includesId(read.get(conversation) ?? [], id)).toBe(isRead);
}

const allIds = (unread: readonly { ids: number[] }[]): number[] =>
  unread.flatMap(({ ids }) => ids).sort((a, b) => a - b);

/** Has every set go into segments at once, of two ranges at most. */
async function foldAtOnce(): Promise<void> {
  // Unsafe: names of functions are no parameters.
  const [row] = await database.sql<{ text: string }[]>`
    select replace(pg_get_functiondef('split_read_segment'::regproc), '40.0', '2.0') as text`;
  await database.sql.unsafe(`${row!.text.replace("split_read_segment", "split_early")};
    create trigger fold_early after insert or update on read_states
      for each row when (not isempty(new.ids)) execute function fold_read_state();
    create trigger split_early after insert or update on read_segments
      for each row when (pg_column_size(new.ids) > 60) execute function split_early()`);
}
async function foldInTime(): Promise<void> {
  await database.sql.unsafe("drop trigger fold_early on read_states; drop trigger split_early on read_segments");
}

describe("read states", () => {
  it.each(["in one row", "in segments"])("are what a set of ids would be, %s, whatever happens", async (where) => {
    if (where === "in segments") {
      await foldAtOnce();
      onTestFinished(foldInTime);
    }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        await reset();
        const model = new Map<number, ModelMessage>();
        for (const action of steps) {
          await take(model, action);
          const states = await findFlagStates(database.sql, realmId, reader, [...model.keys()]);
          expect(states.map(({ id, is_read }) => [id, is_read])).toEqual(
            [...model].map(([id, { isRead }]) => [id, isRead]),
          );
        }
        await walksBothWays(model);
        const { conversations: unread, isCut } = await findUnread(database.sql, realmId, reader, 1000);
        expect(isCut).toBe(false);
        const expected = [...model].filter(([, { isRead }]) => !isRead).map(([id]) => id);
        expect(allIds(unread)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("reading one after the other leaves one range, not one for each", async () => {
    await reset();
    const ids: number[] = [];
    for (let index = 0; index < 20; index++) ids.push(await send(index % 2 === 0 ? 11 : 12));
    for (const id of ids.slice(0, 18)) await markRead(database.sql, realmId, reader, [id]);
    const rows = await database.sql<{ n: number }[]>`
      select (select count(*)::int from unnest(ids)) as n from read_states where user_id = ${reader} order by recipient_id`;
    expect(rows.map(({ n }) => n)).toEqual([1, 1]);
  });

  it("a message that comes after what was read is not read by it", async () => {
    await reset();
    const first = await send(11);
    await markRead(database.sql, realmId, reader, [first]);
    const elsewhere = await send(12);
    const second = await send(11);
    const states = await findFlagStates(database.sql, realmId, reader, [first, elsewhere, second]);
    expect(states.map(({ is_read }) => is_read)).toEqual([true, false, false]);
  });

  it("reads on several connections at once all count", async () => {
    await reset();
    const ids: number[] = [];
    for (let index = 0; index < 40; index++) ids.push(await send(conversations[index % conversations.length]!));
    await Promise.all(
      Array.from({ length: 8 }, (_, part) =>
        markRead(
          database.sql,
          realmId,
          reader,
          ids.filter((_, index) => index % 8 === part),
        ),
      ),
    );
    const states = await findFlagStates(database.sql, realmId, reader, ids);
    expect(states.every(({ is_read }) => is_read)).toBe(true);
  });

  it("unread messages are cut at the newest ones", async () => {
    await reset();
    const ids: number[] = [];
    for (let index = 0; index < 9; index++) ids.push(await send(conversations[index % conversations.length]!));
    const { conversations: unread, isCut } = await findUnread(database.sql, realmId, reader, 5);
    expect(allIds(unread)).toEqual(ids.slice(4));
    expect(isCut).toBe(true);
    expect((await findUnread(database.sql, realmId, reader, 9)).isCut).toBe(false);
  });

  it("others' states are their own", async () => {
    await reset();
    const id = await send(direct, 3);
    await markRead(database.sql, realmId, reader, [id]);
    expect(await findReaders(database.sql, { id, recipient_id: direct })).toEqual([reader]);
    expect((await findFlagStates(database.sql, realmId, sender, [id]))[0]!.is_read).toBe(false);
  });
});

describe("what people who leave have not read", () => {
  it("is told to each of few alone, and of many to those together whose oldest is about as old", async () => {
    await reset();
    const ids: number[] = [];
    for (let index = 0; index < 64; index++) {
      ids.push(await send(11));
      await send(12);
    }
    const people = Array.from({ length: 65 }, (_, read) => ({ user_id: 100 + read, recipient_id: channel }));
    await beginReceiving(database.sql, realmId, people, 0);
    // Each has read one more than the one before, and the last has read everything.
    for (const [read, { user_id }] of people.entries())
      await markRead(database.sql, realmId, user_id, ids.slice(0, read));
    const unreadOf = (pairs: typeof people, limit = 1000) => findUnreadOf(database.sql, pairs, nextId, limit);
    const many = await unreadOf(people);
    expect(many.length).toBeLessThan(10);
    expect(many.flatMap(({ user_ids }) => user_ids).sort((a, b) => a - b)).toEqual(
      people.slice(0, -1).map(({ user_id }) => user_id),
    );
    for (const { user_ids, ids: told } of many) expect(told).toEqual(ids.slice(user_ids[0]! - 100));
    expect((await unreadOf(people, 3)).every(({ ids: told }) => told.length <= 3 && told.at(-1) === ids.at(-1))).toBe(
      true,
    );
    const few = await unreadOf([people[3]!, people[5]!, people[64]!]);
    expect(few.map(({ user_ids, ids: told }) => [user_ids, told]).sort()).toEqual([
      [[103], ids.slice(3)],
      [[105], ids.slice(5)],
    ]);
    expect(await unreadOf([])).toEqual([]);
  });
});

describe("what was received", () => {
  it("ends and begins again with the subscription, and single messages can be added", async () => {
    await reset();
    const pair = [{ user_id: reader, recipient_id: channel }];
    const first = await send(11);
    await endReceiving(database.sql, pair, first);
    const missed = await send(11);
    await beginReceiving(database.sql, realmId, pair, missed);
    const last = await send(11);
    const received = async () =>
      (await findFlagStates(database.sql, realmId, reader, [first, missed, last])).map((state) => state.received);
    expect(await received()).toEqual([true, false, true]);
    await addReceived(database.sql, realmId, reader, [missed]);
    expect(await received()).toEqual([true, true, true]);
  });
});
