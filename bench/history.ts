/**
 * What does reading 100 messages cost, and does it grow with the history behind them?
 *
 * Setup: one organization whose history grows from 10,000 messages to 1,000,000 and 5,000,000. They are of 100 senders
 * in 20 channels with five topics each. The caller is in all channels and has read all but the last 100 messages of the
 * first stage. Asked for are the newest 100, those around the first unread, and the newest 100 of a topic. So are the
 * newest 100 that hold a word of one message in 50.
 *
 * Unit: ms of CPU per GET /messages, of Parley's process and PostgreSQL's together.
 */
import type postgres from "postgres";
import { type Member, startCommunity } from "./harness/community.ts";
import { repeat } from "./harness/measure.ts";
import { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { requestFigures, runRequests } from "./harness/requests.ts";
import { LoadProcess } from "./load/fleet.ts";
import { get } from "./load/request.ts";

const stages = [10_000, 1_000_000, 5_000_000];
const quickStages = [1_000, 5_000];
const channels = 20;
/** Few enough that the smallest history has a hundred messages in each. */
const topicsPerChannel = 5;
const senders = 100;
const unread = 100;
const requestsPerRun = 400;
const quickRequestsPerRun = 20;
/** Messages of one insert, so that none holds the disk for minutes. */
const chunk = 100_000;

/** The bounds that the project set itself. */
const mostMs = 6;
/** “Flat”: half as much again is what deeper indexes and colder caches may cost. */
const mostGrowth = 1.5;

interface Place {
  channelIds: number[];
  /** The id before the first message of the history. */
  base: number;
}

const path = (query: Record<string, unknown>): string =>
  `/api/v1/messages?${new URLSearchParams(
    Object.entries(query).map(
      ([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)] as [string, string],
    ),
  )}`;

const questions = (place: Place): Record<string, string> => ({
  newest: path({ anchor: "newest", num_before: 100, num_after: 0 }),
  "first unread": path({ anchor: "first_unread", num_before: 50, num_after: 50 }),
  topic: path({
    anchor: "newest",
    num_before: 100,
    num_after: 0,
    narrow: [
      { operator: "channel", operand: place.channelIds[3] },
      { operator: "topic", operand: "topic 3" },
    ],
  }),
  search: path({
    anchor: "newest",
    num_before: 100,
    num_after: 0,
    narrow: [{ operator: "search", operand: "zeppelin" }],
  }),
});

export const history: Bench = {
  name: "history",
  question: "What does GET /messages of 100 messages cost with 10 thousand, 1 million and 5 million messages stored?",
  async run(setup) {
    const sizes = setup.quick ? quickStages : stages;
    const database = await BenchPostgres.start(setup);
    const names = Array.from({ length: channels }, (_, index) => `history-${index}`);
    const community = await startCommunity(setup, database, {
      users: senders,
      channels: names.map((name) => ({ name, subscribers: senders })),
    });
    const { members, channelIds } = community;
    await community.parley.end();
    const [{ last } = { last: "0" }] = await database.sql<
      { last: string }[]
    >`select coalesce(max(id), 0) as last from messages`;
    const place: Place = { channelIds: names.map((name) => channelIds.get(name)!), base: Number(last) };
    const load = new LoadProcess(setup, "readers");

    const rows: Row[] = [];
    let stored = 0;
    for (const size of sizes) {
      setup.log(`${size} messages`);
      await store(database.sql, members, place, stored, size);
      if (stored === 0) await markRead(database.sql, members[0]!, place, size - unread);
      stored = size;
      const parley = await Parley.start(setup, database);
      // It reads the newest of the history into memory first, in the background.
      await parley.call("GET", questions(place)["newest"]!, {}, members[0]!);
      await parley.untilCalm();
      for (const [question, query] of Object.entries(questions(place))) {
        rows.push(await measure(parley, load, database, members[0]!, question, query, size, setup.quick));
      }
      await parley.end();
    }

    const dearest = rows.reduce((most, row) => (Number(row["totalMs"]) > Number(most["totalMs"]) ? row : most));
    const of = (question: string, size: number): number =>
      Number(rows.find((row) => row["question"] === question && row["messages"] === size)!["totalMs"]);
    const kinds = Object.keys(questions(place));
    return {
      columns: [
        { key: "question", label: "asked for" },
        { key: "messages", label: "messages stored", digits: 0 },
        { key: "parleyMs", label: "Parley ms", digits: 2 },
        { key: "postgresMs", label: "PostgreSQL ms", digits: 2 },
        { key: "totalMs", label: "together ms", digits: 2 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "found", label: "messages answered", digits: 0 },
        { key: "p50Ms", label: "p50 ms", digits: 1 },
        { key: "p99Ms", label: "p99 ms", digits: 1 },
      ],
      rows,
      bounds: [
        {
          what: `CPU ms per request, dearest (${dearest["question"]}, ${dearest["messages"]} messages)`,
          value: Number(dearest["totalMs"]),
          limit: mostMs,
          sense: "most",
          kind: "machine",
        },
        ...kinds.map((question) => ({
          what: `CPU of “${question}”, ${sizes.at(-1)} messages stored / ${sizes[0]}`,
          value: of(question, sizes.at(-1)!) / of(question, sizes[0]!),
          limit: mostGrowth,
          sense: "most" as const,
          kind: "portable" as const,
        })),
      ],
      plots: [
        {
          file: "history",
          title: "CPU per GET /messages of 100",
          xLabel: "messages stored",
          yLabel: "ms, Parley and PostgreSQL",
          series: kinds.map((question) => ({
            name: question,
            points: sizes.map((size) => [size, of(question, size)] as const),
          })),
        },
      ],
      notes: ["The history is written straight into the tables while Parley is not running."],
    };
  },
};

async function measure(
  parley: Parley,
  load: LoadProcess,
  database: BenchPostgres,
  member: Member,
  question: string,
  query: string,
  size: number,
  isQuick: boolean,
): Promise<Row> {
  const { messages } = await parley.call<{ messages: unknown[] }>("GET", query, {}, member);
  const count = isQuick ? quickRequestsPerRun : requestsPerRun;
  const runs = await repeat(() =>
    runRequests(parley, load, database, { requests: [get(query, member)], concurrency: 2, count }),
  );
  const figures = requestFigures(runs, count);
  return {
    question,
    messages: size,
    parleyMs: figures.serverMicroseconds / 1000,
    postgresMs: figures.postgresMicroseconds / 1000,
    totalMs: (figures.serverMicroseconds + figures.postgresMicroseconds) / 1000,
    spreadPercent: figures.spreadPercent,
    found: messages.length,
    p50Ms: figures.p50Ms,
    p99Ms: figures.p99Ms,
  };
}

/** Adds messages `from` + 1 … `to` of the history. */
async function store(
  sql: postgres.Sql,
  members: readonly Member[],
  place: Place,
  from: number,
  to: number,
): Promise<void> {
  for (let first = from + 1; first <= to; first += chunk) {
    const last = Math.min(to, first + chunk - 1);
    await sql`
      insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
      select ${place.base}::bigint + n, c.realm_id, c.recipient_id, c.id,
             (${members.map((member) => String(member.userId))}::bigint[])[1 + n % ${members.length}],
             'topic ' || (n / ${channels}) % ${topicsPerChannel},
             'Message ' || n || ' says that the build of part ' || n % 977 || ' is green' || word,
             '<p>Message ' || n || ' says that the build of part ' || n % 977 || ' is green' || word || '</p>',
             extract(epoch from now())::bigint - ${stages.at(-1)!} + n, 'bench'
      from generate_series(${first}::bigint, ${last}::bigint) as n,
           lateral (select case when n % 50 = 0 then ' under the zeppelin.' else '.' end as word) as words,
           channels c
      where c.id = (${place.channelIds.map(String)}::bigint[])[1 + n % ${channels}]`;
  }
  // No message that Parley sends later may take one of these ids.
  await sql`select setval('message_id_blocks', greatest((select last_value from message_id_blocks), ${place.base + to}) + 1000)`;
  await sql`vacuum analyze`;
}

async function markRead(sql: postgres.Sql, member: Member, place: Place, count: number): Promise<void> {
  await sql`
    insert into read_states (user_id, recipient_id, realm_id, ids)
    select ${member.userId}, recipient_id, realm_id, int8multirange(int8range(1, ${place.base + count}::bigint, '[]'))
    from channels where id = any (${place.channelIds.map(String)}::bigint[])
    on conflict (user_id, recipient_id) do update set ids = excluded.ids`;
}
