/** Words, links, senders, topics and what is unread are found by the index that knows the fewest messages. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseSearch, queriesOf } from "../../../actors/narrow/search-terms.ts";
import type { MessageId, RecipientId, UserId } from "../../../storage/ids.ts";
import { migrate } from "../../../storage/migrate.ts";
import type { Condition, Scope } from "../../../storage/narrow/narrow.ts";
import { aroundSql, findAround } from "../../../storage/narrow/walk.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

const realmId = 1;
const me = 5 as UserId;
const [hall, direct] = [11, 12] as RecipientId[];
const messages = 24_000;
/** Ids have gaps, so that they are in many parts of the history. */
const gap = 16;
let testDatabase: TestDatabase;
let database: Database;

const word = (text: string): Condition => ({ is: "search", ...queriesOf(parseSearch(text).wanted), negated: false });
const by = (userId: number): Condition => ({ is: "sender", userId: userId as UserId, negated: false });
const inTopic = (topic: string): Condition => ({ is: "topic", topics: [topic], negated: false });
const is = (what: "unread" | "link" | "dm"): Condition => ({ is: what, negated: false });
const inHall: Scope = { in: "history", recipientIds: [hall!] };
const received: Scope = {
  in: "received",
  limits: () => ({ readable: [hall!], unreadable: [], onlyReceived: [] }),
};

/** What message `n` is. */
const kinds = {
  isDirect: (n: number) => n % 40 === 3,
  isSmall: (n: number) => n % 300 === 0,
  sender: (n: number) => (n % 500 === 7 ? 98 : 10 + (n % 3)),
  words: (n: number) => [
    "all",
    ...(n % 3 === 0 ? ["often"] : []),
    ...(n % 100 === 0 ? ["word"] : []),
    ...(n % 6000 === 3 ? ["rare"] : []),
  ],
  hasLink: (n: number) => n % 60 === 0,
  isUnread: (n: number) => n > messages - 6000 && n % 2 === 0,
};

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 2 });
  await migrate(database);
  const { sql } = database;
  await sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
  await sql`insert into direct_conversations (recipient_id, realm_id, user_ids) values (${direct!}, ${realmId}, ${`{${me},10}`}::text::bigint[])`;
  await sql`insert into direct_conversation_members (user_id, recipient_id) values (${me}, ${direct!})`;
  const rows = Array.from({ length: messages }, (_, index) => index + 1).map((n) => ({
    id: n * gap,
    recipient_id: kinds.isDirect(n) ? direct! : hall!,
    channel_id: kinds.isDirect(n) ? null : hall!,
    sender_id: kinds.sender(n),
    topic: kinds.isDirect(n) ? "" : kinds.isSmall(n) ? "small" : "great",
    content: kinds.words(n).join(" "),
    has_link: kinds.hasLink(n),
  }));
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client, has_link)
    select id, ${realmId}, recipient_id, channel_id, sender_id, topic, content, '', 0, 'test', has_link
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as t
      (id bigint, recipient_id bigint, channel_id bigint, sender_id bigint, topic text, content text, has_link boolean)`;
  await sql`insert into received (user_id, recipient_id, realm_id, ids) values (${me}, ${hall!}, ${realmId}, '{[1,)}')`;
  for (const recipientId of [hall!, direct!])
    await sql`
      insert into read_states (user_id, recipient_id, realm_id, ids)
      select ${me}, ${recipientId}, ${realmId}, range_agg(int8range(${gap}::bigint * n, ${gap}::bigint * n, '[]'))
      from generate_series(1, ${messages}) n where not (n > ${messages - 6000} and n % 2 = 0)`;
  await sql`vacuum analyze messages`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const narrows: [string, Scope, Condition[]][] = [
  ["a frequent word", received, [word("often")]],
  ["a word", received, [word("word")]],
  ["a rare word", received, [word("rare")]],
  ["a word that nobody wrote", received, [word("absent")]],
  ["a word of a small topic", inHall, [inTopic("small"), word("word")]],
  ["a word of a great topic", inHall, [inTopic("great"), word("word")]],
  ["a rare word of a great topic", inHall, [inTopic("great"), word("rare")]],
  ["links of a small topic", inHall, [inTopic("small"), is("link")]],
  ["a word of a sender of little", received, [word("often"), by(98)]],
  ["a word of a sender of nothing", received, [word("often"), by(99)]],
  ["a word of a sender of much", received, [word("word"), by(11)]],
  ["a rare word, unread", received, [word("rare"), is("unread")]],
  ["a frequent word, unread", received, [word("often"), is("unread")]],
  ["links, unread", received, [is("link"), is("unread")]],
  ["a word of direct messages", received, [word("rare"), is("dm")]],
  ["a frequent word, not of a sender", received, [word("often"), { ...by(10), negated: true }]],
];

const anchors: [string, MessageId][] = [
  ["newest", 1e16],
  ["oldest", 0],
  ["middle", (messages / 2) * gap],
];

describe.each(narrows)("Finding %s", (_, scope, conditions) => {
  it.each(anchors)("around the %s: the nearest ones of both sides, and no others", async (_, anchor) => {
    const stretch = { anchor, includeAnchor: true, before: 100, after: 30 };
    const all = plainly(scope, conditions);
    const expected = [
      ...all.filter((id) => id < anchor).slice(-stretch.before),
      ...all.filter((id) => id >= anchor).slice(0, stretch.after + (all.includes(anchor) ? 1 : 0)),
    ];
    const narrowed = { realmId, userId: me, scope, conditions };
    expect(await findAround(database.sql, narrowed, stretch)).toEqual(expected);
  });
});

it.each(narrows)("%s: reads a small part of the history", async (_, scope, conditions) => {
  const [size] = await database.sql<{ pages: number }[]>`
    select sum(relpages)::integer as pages from pg_class where relname in ('messages', 'messages_search')`;
  // An index is asked whether each message is read.
  const most = conditions.some((condition) => condition.is === "unread") ? 8 : 3;
  expect(pagesOf(await planOf(scope, conditions))).toBeLessThan(most * size!.pages);
});

// Words of every third message, of every hundredth, two of them, and a phrase.
it.each([["often"], ["word"], ["often word"], ['"often word"']])(
  "%s: the index is asked for few more messages than are wanted",
  async (text) => {
    const asked = questionsOf(await planOf(received, [word(text)]));
    const found = asked.reduce((all, plan) => all + plan["Actual Rows"] * plan["Actual Loops"], 0);
    expect(found).toBeLessThan(2.5 * 100);
  },
);

/** Ids of a narrow, ascending, by a look at every message. */
function plainly(scope: Scope, conditions: readonly Condition[]): MessageId[] {
  const fits = (n: number): boolean =>
    (scope.in === "received" || !kinds.isDirect(n)) &&
    conditions.every((condition) => meets(n, condition) !== condition.negated);
  return Array.from({ length: messages }, (_, index) => index + 1)
    .filter(fits)
    .map((n) => n * gap);
}

function meets(n: number, condition: Condition): boolean {
  switch (condition.is) {
    case "search":
      return kinds.words(n).some((word) => condition.before === `"${word}"`);
    case "sender":
      return kinds.sender(n) === condition.userId;
    case "topic":
      return condition.topics[0] === (kinds.isSmall(n) ? "small" : "great");
    case "link":
      return kinds.hasLink(n);
    case "dm":
      return kinds.isDirect(n);
    case "unread":
      return kinds.isUnread(n);
    default:
      throw new Error(`No message here is ${condition.is}.`);
  }
}

interface Plan extends Readonly<Record<string, unknown>> {
  "Node Type": string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Plan[];
}

/** How the newest 100 were found. */
async function planOf(scope: Scope, conditions: readonly Condition[]): Promise<Plan> {
  const { parameters, text } = aroundSql(
    { realmId, userId: me, scope, conditions },
    { anchor: 1e16, includeAnchor: false, before: 100, after: 0 },
  );
  // Unsafe: the text depends on the kinds of the conditions.
  const [row] = await database.sql.unsafe<{ "QUERY PLAN": { Plan: Plan }[] }[]>(
    `explain (analyze, buffers, format json) ${text} select id from picked`,
    parameters.values,
  );
  return row!["QUERY PLAN"][0]!.Plan;
}

/** Pages that were touched, each as often as it was. */
const pagesOf = (plan: Plan): number => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];

/** Its steps that ask the index of words. */
const questionsOf = (plan: Plan): Plan[] =>
  plan["Index Name"] === "messages_search" ? [plan] : (plan.Plans ?? []).flatMap(questionsOf);
