/**
 * What does it cost to find something in a long history?
 *
 * Setup: 2,000,000 messages (or `--messages`) whose words, people and topics are as frequent as in an organization
 * (`zipf-history.ts`). The reader is in all channels and has read all but a tenth. Asked for are the newest 100
 * messages of narrows. Most have a set that is small: a topic, a rare word, a person who wrote little.
 *
 * Unit: CPU ms per GET /messages, of Parley's process and of PostgreSQL's.
 */
import type postgres from "postgres";
import { type Member, startCommunity } from "../harness/community.ts";
import { repeat } from "../harness/measure.ts";
import type { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import { requestFigures, runRequests } from "../harness/requests.ts";
import { LoadProcess } from "../load/fleet.ts";
import { get } from "../load/request.ts";
import { type HistorySize, storeHistory, wordOf } from "./zipf-history.ts";

const full = (messages: number) => ({
  size: { messages, great: messages / 10, small: 250, rare: 20, ofSeldom: 300 },
  requestsPerRun: 20,
});
const quick = { size: { messages: 4000, great: 400, small: 25, rare: 4, ofSeldom: 30 }, requestsPerRun: 3 };
const usualMessages = 2_000_000;
const people = 100;
const channels = 20;

/** The bounds that the project set itself. */
const mostMs = 15;
const mostIndexBytes = 200;

/** Words of one message in ten, in a hundred, and in a thousand. */
const [often, now, seldom] = [wordOf(10), wordOf(100), wordOf(1000)];

type Term = readonly [operator: string, operand: unknown];

const questions = (channelIds: readonly number[], members: readonly Member[]): Record<string, readonly Term[]> => {
  const [silent, quiet, talker] = [members.at(-1)!.userId, members.at(-2)!.userId, members[0]!.userId];
  const [great, small]: (readonly Term[])[] = [
    [
      ["channel", channelIds[0]],
      ["topic", "great"],
    ],
    [
      ["channel", channelIds[1]],
      ["topic", "small"],
    ],
  ];
  const word = (text: string): Term => ["search", text];
  return {
    "frequent word": [word(often)],
    word: [word(now)],
    "seldom word": [word(seldom)],
    "rare word": [word("zeppelin")],
    "word that nobody wrote": [word("xylophon")],
    "four letters that begin words": [word(now.slice(0, 4))],
    "beginning of a rare word": [word("zeppel")],
    "exact phrase": [word(`"${often} ${now}"`)],
    "parts of a link": [word(`example.com/${seldom}`)],
    "two words": [word(`${now} ${seldom}`)],
    "word, small topic": [...small!, word(now)],
    "link, small topic": [...small!, ["has", "link"]],
    "rare word, small topic": [...small!, word("zeppelin")],
    "word, great topic": [...great!, word(now)],
    "rare word, great topic": [...great!, word("zeppelin")],
    "rare word, unread": [word("zeppelin"), ["is", "unread"]],
    "word, unread": [word(now), ["is", "unread"]],
    "frequent word, sender of nothing": [word(often), ["sender", silent]],
    "frequent word, sender of little": [word(often), ["sender", quiet]],
    "frequent word, sender of much": [word(often), ["sender", talker]],
    "link, sender of nothing": [
      ["has", "link"],
      ["sender", silent],
    ],
    "frequent word, direct messages": [word(often), ["is", "dm"]],
  };
};

export const find: Bench = {
  name: "find",
  question: "What does it cost to find something in a long history (2,000,000 messages unless told)?",
  async run(setup) {
    const { size, requestsPerRun: count } = setup.quick ? quick : full(setup.messages ?? usualMessages);
    const database = await BenchPostgres.start(setup);
    const names = Array.from({ length: channels }, (_, index) => `find-${index}`);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: people,
      channels: names.map((name) => ({ name, subscribers: people })),
      write: (sql, all, ids) =>
        writeHistory(
          sql,
          all,
          names.map((name) => ids.get(name)!),
          size,
        ),
    });
    const load = new LoadProcess(setup, "readers");
    const reader = members[1]!;
    const rows: Row[] = [];
    const asked = questions(
      names.map((name) => channelIds.get(name)!),
      members,
    );
    await settle(parley, reader);
    for (const [question, narrow] of Object.entries(asked)) {
      const path = pathOf(narrow);
      const { messages } = await parley.call<{ messages: unknown[] }>("GET", path, {}, reader);
      const runs = await repeat(() =>
        runRequests(parley, load, database, { requests: [get(path, reader)], concurrency: 1, count }),
      );
      const figures = requestFigures(runs, count);
      rows.push({
        question,
        found: messages.length,
        parleyMs: figures.serverMicroseconds / 1000,
        postgresMs: figures.postgresMicroseconds / 1000,
        totalMs: (figures.serverMicroseconds + figures.postgresMicroseconds) / 1000,
        spreadPercent: figures.spreadPercent,
      });
      setup.log(`  ${JSON.stringify(rows.at(-1))}`);
    }
    const dearest = rows.reduce((most, row) => (Number(row["totalMs"]) > Number(most["totalMs"]) ? row : most));
    return {
      columns: [
        { key: "question", label: "asked for" },
        { key: "found", label: "messages answered", digits: 0 },
        { key: "parleyMs", label: "Parley ms", digits: 2 },
        { key: "postgresMs", label: "PostgreSQL ms", digits: 2 },
        { key: "totalMs", label: "together ms", digits: 2 },
        { key: "spreadPercent", label: "± %", digits: 0 },
      ],
      rows,
      bounds: [
        {
          what: `CPU ms of the dearest (${dearest["question"]})`,
          value: Number(dearest["totalMs"]),
          limit: mostMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: "bytes of the index of words per message",
          value: await indexBytes(database.sql, size),
          limit: mostIndexBytes,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [],
      notes: ["The history is written straight into the tables while Parley is not running."],
    };
  },
};

/** Wakes the organization, and waits until Parley has read its history into memory, which it does in the background. */
async function settle(parley: Parley, reader: Member): Promise<void> {
  await parley.call("GET", pathOf([]), {}, reader);
  await parley.untilCalm();
}

const pathOf = (narrow: readonly Term[]): string =>
  `/api/v1/messages?${new URLSearchParams({ anchor: "newest", num_before: "100", num_after: "0", narrow: JSON.stringify(narrow) })}`;

async function writeHistory(
  sql: postgres.Sql,
  members: readonly Member[],
  channelIds: readonly number[],
  size: HistorySize,
): Promise<void> {
  const places = await sql<{ id: string; recipient_id: string; realm_id: number }[]>`
    select id, recipient_id, realm_id from channels where id = any (${channelIds.map(String)}::bigint[]) order by id`;
  const [{ last } = { last: "0" }] = await sql<{ last: string }[]>`select coalesce(max(id), 0) as last from messages`;
  const base = Number(last);
  const senderIds = members.map(({ userId }) => userId);
  await storeHistory(sql, { realmId: places[0]!.realm_id, base, channels: places, senderIds }, size);
  await sql`
    insert into read_states (user_id, recipient_id, realm_id, ids)
    select ${members[1]!.userId}, recipient_id, realm_id, int8multirange(int8range(1, ${base + 0.9 * size.messages}::bigint))
    from channels where id = any (${channelIds.map(String)}::bigint[])`;
}

async function indexBytes(sql: postgres.Sql, { messages }: HistorySize): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`select pg_relation_size('messages_search') as bytes`;
  return Number(row!.bytes) / messages;
}
