/** What is muted is not read to find the rest, however much there is of it: pages of the index are counted. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecipientId, UserId } from "../../../storage/ids.ts";
import { migrate } from "../../../storage/migrate.ts";
import type { Condition, Narrowed } from "../../../storage/narrow/narrow.ts";
import { aroundSql, findAround, type Stretch } from "../../../storage/narrow/walk.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

const realmId = 1;
const me = 5 as UserId;
/** The first is muted, the second but for a topic that is seldom; the third is heard, and has few messages. */
const [silent, busy, calm] = [11, 12, 13] as RecipientId[];
const messages = 30_000;
let testDatabase: TestDatabase;
let database: Database;

const channelOf = (n: number) => (n % 200 === 0 ? calm! : n % 2 === 0 ? silent! : busy!);
const topicOf = (n: number) => (channelOf(n) === busy && n % 301 === 0 ? "Heard" : n % 400 === 0 ? "Muted" : "t");
const isHeard = (n: number) => topicOf(n) === "Heard" || (channelOf(n) === calm && topicOf(n) !== "Muted");
const isRead = (n: number) => n <= 2_000 || n % 5 === 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 2 });
  await migrate(database);
  const { sql } = database;
  await sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
  const all = Array.from({ length: messages }, (_, index) => index + 1);
  const rows = all.map((id) => ({ id, channel: channelOf(id), topic: topicOf(id), read: isRead(id) }));
  const given = JSON.stringify(rows);
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select id, ${realmId}, channel, channel, 99, topic, 'c', 'c', 0, 'test'
    from jsonb_to_recordset(${given}::text::jsonb) as t (id bigint, channel bigint, topic text)`;
  await sql`
    insert into received (user_id, recipient_id, realm_id, ids)
    select ${me}, c, ${realmId}, '{[1,)}' from generate_series(${silent!}::int, ${calm!}::int) c`;
  await sql`
    insert into read_states (user_id, recipient_id, realm_id, ids)
    select ${me}, channel, ${realmId}, range_agg(int8range(id, id, '[]'))
    from jsonb_to_recordset(${given}::text::jsonb) as t (id bigint, channel bigint, read boolean) where read group by channel`;
  await sql`vacuum analyze`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const notMuted: Condition = {
  is: "muted",
  negated: true,
  topics: { recipientIds: [calm!], topics: ["muted"] },
  channels: [silent!, busy!],
  // One in two spellings, and one of a channel that is not muted.
  except: { recipientIds: [busy!, busy!, calm!], topics: ["heard", "HEARD", "t"] },
};
const unread: Condition = { is: "unread", negated: false };
const limits = () => ({ readable: [silent!, busy!, calm!], unreadable: [], onlyReceived: [] });
const narrowOf = (conditions: Condition[]): Narrowed => ({
  realmId,
  userId: me,
  scope: { in: "received", limits },
  conditions,
});
const stretches: [string, Stretch][] = [
  ["newest", { anchor: 1e16, includeAnchor: true, before: 50, after: 0 }],
  ["oldest", { anchor: 0, includeAnchor: true, before: 0, after: 50 }],
  ["first of all", { anchor: -1, includeAnchor: false, before: 0, after: 1 }],
  ["those in the middle", { anchor: messages / 2, includeAnchor: true, before: 30, after: 30 }],
];

describe.each([
  ["what is not muted", [notMuted], isHeard],
  ["what is unread and not muted", [unread, notMuted], (n: number) => isHeard(n) && !isRead(n)],
])("%s", (_, conditions, fits) => {
  it.each(stretches)("is found, the %s", async (_, stretch) => {
    const { anchor, includeAnchor, before, after } = stretch;
    const all = Array.from({ length: messages }, (_, index) => index + 1).filter(fits);
    const isAfter = (id: number) => (includeAnchor ? id >= anchor : id > anchor);
    const expected = [
      ...all.filter((id) => id < anchor).slice(-before || messages),
      ...all.filter(isAfter).slice(0, after + (includeAnchor && all.includes(anchor) ? 1 : 0)),
    ];
    expect(await findAround(database.sql, narrowOf([...conditions]), stretch)).toEqual(expected);
  });

  it.each(stretches)("takes few pages, the %s", async (_, stretch) => {
    const { parameters, text } = aroundSql(narrowOf([...conditions]), stretch);
    // Unsafe: the text depends on the kinds of the conditions.
    const [row] = await database.sql.unsafe<{ "QUERY PLAN": { Plan: Record<string, number> }[] }[]>(
      `explain (analyze, buffers, format json) ${text} select id from picked`,
      parameters.values,
    );
    const { Plan } = row!["QUERY PLAN"][0]!;
    expect(Plan["Shared Hit Blocks"]! + Plan["Shared Read Blocks"]!).toBeLessThan(messages / 20);
  });
});
