/**
 * Somebody who reads every second message of a large channel has a range for each. Marking a message and finding what
 * is unread cost no more for it. The tests count bytes of rows, and pages that are looked at.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { MessageId, RecipientId } from "../../../storage/ids.ts";
import { findFlagStates } from "../../../storage/messages/flags.ts";
import { hasRead } from "../../../storage/messages/read-segments.ts";
import { markAllRead, markRead, markUnread } from "../../../storage/messages/read-state.ts";
import { applyMigrations, migrate, migrationNames } from "../../../storage/migrate.ts";
import type { Condition, Narrowed } from "../../../storage/narrow/narrow.ts";
import { aroundSql, findAround } from "../../../storage/narrow/walk.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

const realmId = 1;
const recipientId = 11 as RecipientId;
const messages = 20_000;
/** Rows become no longer than a flag, or the 200 of a request, make them beyond what has them divided. */
const mostRowBytes = 2_000;
let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 2 });
  await migrate(database);
  const { sql } = database;
  await sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select n, ${realmId}, ${recipientId}, ${recipientId}, 99, case when n in (1, 2, 19999) then 'rare' else 't' end, 'c', 'c', 0, 'test' from generate_series(1, ${messages}) n`;
  // Person n has read every second one of the first 2n.
  for (const islands of [1_000, 8_000]) {
    await receives(islands);
    await sql`
      insert into read_states (user_id, recipient_id, realm_id, ids)
      select ${islands}, ${recipientId}, ${realmId}, range_agg(int8range(2 * n, 2 * n + 1)) from generate_series(1, ${islands}) n`;
  }
  // With the map of what is visible: PostgreSQL makes it by itself at any time, and scans that know it read less.
  await sql`vacuum analyze`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const inTopic: Condition[] = [{ is: "topic", topics: ["rare"], negated: false }];
const receives = (userId: number) => database.sql`
  insert into received (user_id, recipient_id, realm_id, ids) values (${userId}, ${recipientId}, ${realmId}, '{[1,)}')`;

describe("what somebody has read here and there", () => {
  it.each([
    ["before it", { before: 100, after: 0 }, []],
    ["after it", { before: 0, after: 100 }, []],
    ["before it in a topic that is elsewhere", { before: 100, after: 0 }, inTopic],
    ["after it in a topic that is elsewhere", { before: 0, after: 100 }, inTopic],
  ])("is looked at next to the anchor, to find the unread %s", async (_side, counts, conditions) => {
    const pagesRead = (userId: number) => {
      const { parameters, text } = aroundSql(
        {
          realmId,
          userId,
          scope: { in: "receivedIn", recipientId },
          conditions: [{ is: "unread", negated: false }, ...conditions],
        },
        { anchor: userId, includeAnchor: false, ...counts },
      );
      return pagesOf(`${text} select id from picked`, parameters.values);
    };
    expect(await pagesRead(8_000)).toBeLessThan(1.3 * (await pagesRead(1_000)));
  });

  it("is looked at in one place for each message that is listed", async () => {
    const pagesRead = (userId: number) =>
      pagesOf(
        `select m.id, ${hasRead("s", "m.id")} from messages m
         join read_states s on s.user_id = $1::bigint and s.recipient_id = m.recipient_id
         where m.realm_id = $2 and m.id between $1::bigint and $1::bigint + 50`,
        [userId, realmId],
      );
    expect(await pagesRead(8_000)).toBeLessThan(1.3 * (await pagesRead(1_000)));
  });
});

it.each([
  ["newest", { anchor: 1e16, before: 100, after: 0 }],
  ["oldest", { anchor: 0, before: 0, after: 100 }],
])("reads of what somebody received in pieces, and has not read, the %s alone", async (_which, counts) => {
  const [whole, pieces] = [21_000, 22_000];
  await database.sql`
    insert into received (user_id, recipient_id, realm_id, ids)
    values (${whole}, ${recipientId}, ${realmId}, '{[1,)}'),
      (${pieces}, ${recipientId}, ${realmId}, (
        select range_agg(int8range(40 * n + 1, 40 * n + 40)) from generate_series(0, ${messages / 40 - 1}::int) n))
    on conflict do nothing`;
  const pagesRead = (userId: number) => {
    const narrowed: Narrowed = {
      realmId,
      userId,
      scope: { in: "receivedIn", recipientId },
      conditions: [
        { is: "unread", negated: false },
        { is: "topic", topics: ["t"], negated: false },
      ],
    };
    const { parameters, text } = aroundSql(narrowed, { includeAnchor: false, ...counts });
    return pagesOf(`${text} select id from picked`, parameters.values);
  };
  expect(await pagesRead(pieces)).toBeLessThan(5 * (await pagesRead(whole)));
});

it("finds what lies beyond the segments next to the anchor before what is farther in another channel", async () => {
  const { sql } = database;
  const [reader, near, far] = [8, 12 as RecipientId, 13 as RecipientId];
  const [first, last] = [100_000, 104_000];
  // One channel has every even id. Every second was read, and of the unread only those in the middle are left.
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select n, ${realmId}, c, c, 99, 't', 'c', 'c', 0, 'test'
    from generate_series(${first}::int, ${last}::int) n cross join lateral (select case when n % 2 = 0 then ${near}::int else ${far}::int end as c) t
    where case when c = ${near} then n % 4 = 0 or n between ${first + 1_800}::int and ${last - 1_800}::int
      else n < ${first + 400}::int or n > ${last - 400}::int end`;
  for (const id of [near, far])
    await sql`insert into received (user_id, recipient_id, realm_id, ids) values (${reader}, ${id}, ${realmId}, '{[1,)}')`;
  await sql`
    insert into read_states (user_id, recipient_id, realm_id, ids)
    select ${reader}, ${near}, ${realmId}, range_agg(int8range(n, n + 1)) from generate_series(${first}::int, ${last}::int, 4) n`;
  const find = async (before: number, after: number, anchor: number) => {
    const limits = () => ({ readable: [near, far], unreadable: [], onlyReceived: [] });
    const ids = await findAround(
      sql,
      { realmId, userId: reader, scope: { in: "received", limits }, conditions: [{ is: "unread", negated: false }] },
      { anchor, includeAnchor: false, before, after },
    );
    return new Set(ids.map((id) => (id % 2 === 0 ? "near" : "far")));
  };
  expect(await find(100, 0, last - 400)).toEqual(new Set(["near"]));
  expect(await find(0, 100, first + 400)).toEqual(new Set(["near"]));
});

it.each([
  ["first", { anchor: -1, before: 0, after: 1 }],
  ["newest", { anchor: 1e16, before: 1, after: 0 }],
])("reads no more to find the %s unread message after more that are unread", async (_which, stretch) => {
  const { sql } = database;
  const first = stretch.after === 1 ? 200_000 : 300_000;
  const channels = Array.from({ length: 8 }, (_, place) => first + place);
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select ${first}::int + n, ${realmId}, c, c, 99, 't', 'c', 'c', 0, 'test'
    from generate_series(1, 8000) n cross join lateral (select ${first}::int + n % 8 as c) t`;
  // As marking everything as read leaves it: all channels up to the same message.
  const [returned, away] = [first + 7_000, first + 1_000];
  for (const reader of [returned, away])
    await sql`
      with c as (insert into received (user_id, recipient_id, realm_id, ids)
        select ${reader}, ${first}::int + generate_series(0, 7), ${realmId}, '{[1,)}' returning recipient_id)
      insert into read_states (user_id, recipient_id, realm_id, ids)
      select ${reader}, recipient_id, ${realmId}, int8multirange(int8range(1, ${reader})) from c`;
  await sql`vacuum analyze`;
  const limits = () => ({ readable: channels as RecipientId[], unreadable: [], onlyReceived: [] });
  const pagesRead = async (userId: number) => {
    const unread: Narrowed = {
      realmId,
      userId,
      scope: { in: "received", limits },
      conditions: [{ is: "unread", negated: false }],
    };
    const around = { ...stretch, includeAnchor: false };
    expect(await findAround(sql, unread, around)).toEqual([stretch.after === 1 ? userId : first + 8_000]);
    const { parameters, text } = aroundSql(unread, around);
    return pagesOf(`${text} select id from picked`, parameters.values);
  };
  expect(await pagesRead(away)).toBeLessThan(1.3 * (await pagesRead(returned)));
});

describe("rows of what somebody has read stay short", () => {
  const reader = 7;
  const even = Array.from({ length: 1_500 }, (_, place) => 2 * place + 2);
  beforeEach(async () => {
    await database.sql`delete from received where user_id = ${reader}`;
    await database.sql`delete from read_states where user_id = ${reader}`;
    await database.sql`delete from read_segments where user_id = ${reader}`;
    await receives(reader);
  });

  /** Each prime step goes through all of them. */
  const inDisorder = (ids: readonly number[]) => ids.map((_, place) => ids[(place * 7_919) % ids.length]!);
  const inTurns = async (ids: readonly number[], size: number, take: (some: MessageId[]) => Promise<void>) => {
    for (let first = 0; first < ids.length; first += size) await take(ids.slice(first, first + size));
  };
  const mark = (some: MessageId[]) => markRead(database.sql, realmId, reader, some);
  const unmark = (some: MessageId[]) => markUnread(database.sql, realmId, reader, some);
  const expectRead = async (isRead: (id: number) => boolean) => {
    const all = Array.from({ length: 3_000 }, (_, place) => place + 1);
    const states = await findFlagStates(database.sql, realmId, reader, all);
    expect(states.filter(({ is_read }) => is_read).map(({ id }) => id)).toEqual(all.filter(isRead));
    const [longest] = await database.sql<{ bytes: number }[]>`
      select max(pg_column_size(ids)) as bytes from (
        select ids from read_states where user_id = ${reader}
        union all select ids from read_segments where user_id = ${reader}) t`;
    expect(longest!.bytes).toBeLessThan(mostRowBytes);
  };
  const segments = async () =>
    (
      await database.sql<{ count: number }[]>`
      select count(*)::int as count from read_segments where user_id = ${reader}`
    )[0]!.count;

  it.each([
    ["one after the other", even, 1],
    ["in any order", inDisorder(even), 7],
    ["200 at a time", even, 200],
  ])("%s", async (_order, ids, size) => {
    await inTurns(ids, size, mark);
    await expectRead((id) => id % 2 === 0);
    expect(await segments()).toBeGreaterThan(20);
    // Marks every second one of what is left, too, and takes a third of all back.
    await inTurns(
      even.map((id) => id - 1).filter((id) => id % 4 === 1),
      50,
      mark,
    );
    await inTurns(
      even.flatMap((id) => [id - 1, id]).filter((id) => id % 3 === 0),
      50,
      unmark,
    );
    await expectRead((id) => id % 4 !== 3 && id % 3 !== 0);
  });

  it("when every second of many messages is taken back", async () => {
    await markAllRead(database.sql, realmId, reader, messages);
    await inTurns(even, 50, unmark);
    await expectRead((id) => id % 2 === 1);
    expect(await segments()).toBeGreaterThan(20);
    await inTurns(
      even.filter((id) => id % 4 === 0).map((id) => id - 1),
      50,
      unmark,
    );
    await expectRead((id) => id % 4 === 1);
  });

  it("and go when everything is read", async () => {
    await inTurns(even, 200, mark);
    await markAllRead(database.sql, realmId, reader, messages);
    expect(await segments()).toBe(0);
    await expectRead(() => true);
  });
});

describe("while nodes of the version before may read it", () => {
  it("what somebody has read stays in one row, and goes into segments with the first flag after that", async () => {
    const older = await createTestDatabase();
    const before = connect(older.url, { maxConnections: 2 });
    try {
      const { sql } = before;
      const names = migrationNames();
      await before.transaction((tx) =>
        applyMigrations(
          tx,
          names.filter((name) => name < "035"),
        ),
      );
      await sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
      await sql`
        insert into read_states (user_id, recipient_id, realm_id, ids)
        select 1, ${recipientId}, ${realmId}, range_agg(int8range(2 * n, 2 * n + 1)) from generate_series(1, 1000) n`;
      await migrate(before);
      // As either of them does.
      const mark = () => sql`update read_states set ids = ids + '{[1,2)}'`;
      await mark();
      expect(await sql`select from read_segments`).toHaveLength(0);
      await sql`update installation set whole_read_states_until = extract(epoch from now())::bigint - 1`;
      await mark();
      expect((await sql`select from read_segments`).length).toBeGreaterThan(20);
    } finally {
      await before.close();
      await older.drop();
    }
  });
});

/** Pages that a statement touches. */
async function pagesOf(text: string, values: (string | number | boolean | null)[]): Promise<number> {
  // Unsafe: the text depends on the kinds of the conditions.
  const [row] = await database.sql.unsafe<{ "QUERY PLAN": { Plan: Record<string, number> }[] }[]>(
    `explain (analyze, buffers, format json) ${text}`,
    values,
  );
  const { Plan } = row!["QUERY PLAN"][0]!;
  return Plan["Shared Hit Blocks"]! + Plan["Shared Read Blocks"]!;
}
