/**
 * What do changes of very great topics cost, and what do others feel of them?
 *
 * Setup: 1,000 people in a channel of topics of 2,000, 20,000 and 200,000 messages, each of which comes between two of
 * other topics; nobody has read any. A quiet user sends fifty messages a second, at first alone. Then each topic is
 * renamed, moved to another channel, vacuumed away where it was, marked read by somebody, and deleted. A checkpoint
 * comes before each, so every page is written whole once more. A move is over when none is left to be finished, however
 * early it was answered. A topic is marked read at most 50,000 messages at once, as many as clients are told to be
 * unread.
 *
 * Units: ms from the request to its answer, and to its end; µs of CPU of Parley and of PostgreSQL, and bytes written
 * ahead, for each message, with those of the sends beside; ms of others' sends from when they were due to their
 * answers.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { channelMessages, type Member, startCommunity } from "./harness/community.ts";
import type { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { percentiles } from "./harness/statistics.ts";
import { LoadProcess } from "./load/fleet.ts";
import { basic } from "./load/request.ts";

const full = { people: 1_000, sizes: [2_000, 20_000, 200_000] };
const quick = { people: 50, sizes: [200, 1_000] };
const sendEveryMs = 20;
const answerMs = 60_000;
const lookEveryMs = 20;
const aloneMs = 5_000;
/** As many as clients are told to be unread. https://zulip.com/api/register-queue */
const mostMarked = 50_000;

/** The bounds that the project set itself. */
const mostWalBytes = 1_000;
const mostSendP99Ms = 100;
const mostExponent = 1.1;

export const greatTopics: Bench = {
  name: "great-topics",
  question: "What do changes of very great topics cost, and what do others feel of them?",
  async run(setup) {
    const { people, sizes } = setup.quick ? quick : full;
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: people,
      channels: [
        { name: "hall", subscribers: 10 },
        { name: "great", subscribers: people },
        { name: "other", subscribers: people },
      ],
      write: (sql, all, ids) => store(sql, all, ids.get("great")!, sizes),
    });
    const load = new LoadProcess(setup, "quiet");
    const place = { from: channelIds.get("great")!, into: channelIds.get("other")! };
    const measuring = { database, parley, load, sends: channelMessages(members[0]!, channelIds.get("hall")!) };
    // The first sends of a process take up to 0.6 s by themselves: connections are opened, code is compiled.
    await measure(measuring, 1, () => sleep(aloneMs));
    const { sendP99Ms, sendMaxMs, pauseMs } = await measure(measuring, 1, () => sleep(aloneMs));
    const none = { answeredMs: "", overMs: "", parleyUs: "", postgresUs: "", walBytes: "" };
    const rows: Row[] = [{ change: "nothing", size: 0, ...none, sendP99Ms, sendMaxMs, pauseMs } as Row];
    for (const size of sizes)
      for (const { name, messages, run } of await changesOf(parley, members, database, place, size)) {
        if (setup.only !== undefined && !name.includes(setup.only)) continue;
        setup.log(`${name}, ${size}`);
        rows.push({ change: name, size, ...(await measure(measuring, messages, run)) });
        setup.log(`  ${JSON.stringify(rows.at(-1))}`);
      }
    await load.end();
    await parley.end();
    const rowsOf = (change: string) => rows.filter((row) => row["change"] === change);
    const names = [...new Set(rows.slice(1).map((row) => String(row["change"])))];
    const total = (row: Row, size: number) => (Number(row["parleyUs"]) + Number(row["postgresUs"])) * size;
    const exponentOf = (change: string) => {
      const [small, large] = [rowsOf(change)[0]!, rowsOf(change).at(-1)!];
      const [least, most] = [small, large].map((row) => Math.min(Number(row["size"]), Number(row["messages"])));
      return Math.log(total(large, most!) / total(small, least!)) / Math.log(most! / least!);
    };
    const greatest = (key: string, of = rows): number => Math.max(...of.map((row) => Number(row[key])));
    return {
      columns: [
        { key: "change", label: "change" },
        { key: "size", label: "messages", digits: 0 },
        { key: "answeredMs", label: "answered after ms", digits: 0 },
        { key: "overMs", label: "over after ms", digits: 0 },
        { key: "parleyUs", label: "Parley µs/message", digits: 0 },
        { key: "postgresUs", label: "PostgreSQL µs/message", digits: 0 },
        { key: "walBytes", label: "WAL bytes/message", digits: 0 },
        { key: "sendP99Ms", label: "others' sends p99 ms", digits: 1 },
        { key: "sendMaxMs", label: "longest ms", digits: 1 },
        { key: "pauseMs", label: "longest pause ms", digits: 1 },
      ],
      rows,
      bounds: [
        ...names.map((change) => ({
          what: `exponent of the CPU of a topic that is ${change}, by its messages`,
          value: exponentOf(change),
          limit: mostExponent,
          sense: "most" as const,
          kind: "portable" as const,
        })),
        {
          what: "WAL bytes of each message of the greatest topic that is renamed",
          value: greatest("walBytes", rowsOf("renamed").slice(-1)),
          limit: mostWalBytes,
          sense: "most",
          kind: "portable",
        },
        {
          what: "others' sends meanwhile, p99 in ms",
          value: greatest("sendP99Ms", rows.slice(1)),
          limit: mostSendP99Ms,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        "The first row is of the sends alone, for five seconds: their times hold what other work on the machine adds.",
        "Where the bytes of a move go is told below, by the kind of record.",
        "A move leaves as many dead rows as messages, which a vacuum takes away: here once for both moves, in its own row, and otherwise by itself when it comes.",
      ],
    };
  },
};

/** Writes the topics `great N`, every second message of which is of another topic. */
async function store(
  sql: postgres.Sql,
  all: readonly Member[],
  channelId: number,
  sizes: readonly number[],
): Promise<void> {
  for (const size of sizes)
    await sql`
      with block as materialized (
        select nextval('message_id_blocks') as first, b from generate_series(0, ${Math.ceil((2 * size) / 1000) - 1}::int) b)
      insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
      select block.first + n, c.realm_id, c.recipient_id, c.id, ${all[0]!.userId}::bigint + n % ${all.length}::int,
        case when n % 2 = 0 then 'great ' || ${size}::int else 'other ' || n % 50 end, w.text, '<p>' || w.text || '</p>',
        ${Math.floor(Date.now() / 1000)}::bigint, 'bench'
      from channels c cross join block cross join generate_series(0, 999) n
        cross join lateral (
          select string_agg('w' || floor(exp((hashint8(block.first + n * 31 + k) & 65535) / 8000.0))::int, ' ') as text
          from generate_series(1, 12) k) w
      where c.id = ${channelId} and block.b * 1000 + n < ${2 * size}::int order by 1`;
  await sql`
    update channels c set first_message_id = (select min(m.id) from messages m where m.recipient_id = c.recipient_id)
    where c.id = ${channelId}`;
}

interface Change {
  name: string;
  messages: number;
  run(): Promise<unknown>;
}

/** The changes of a topic, one after the other. */
async function changesOf(
  parley: Parley,
  members: readonly Member[],
  { sql }: BenchPostgres,
  { from, into }: { from: number; into: number },
  size: number,
): Promise<Change[]> {
  const [row] = await sql<{ id: number }[]>`
    select min(id)::float8 as id from messages where channel_id = ${from} and topic = ${`great ${size}`}`;
  const topic = `greater ${size}`;
  const ask = async (
    method: string,
    path: string,
    params: Readonly<Record<string, unknown>>,
    account = parley.owner as Parameters<typeof basic>[0],
  ): Promise<unknown> => {
    const body = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]));
    const headers = { authorization: basic(account) };
    const answer = await fetch(`http://127.0.0.1:${parley.port}/api/v1${path}`, { method, headers, body });
    const told = (await answer.json()) as { msg: string; complete?: boolean };
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${told.msg}`);
    return told.complete;
  };
  const move = (params: Readonly<Record<string, unknown>>) =>
    ask("PATCH", `/messages/${row!.id}`, { propagate_mode: "change_all", ...params });
  const marked = Math.min(size, mostMarked);
  return [
    { name: "renamed", messages: size, run: () => move({ topic }) },
    { name: "moved to a channel", messages: size, run: () => move({ stream_id: into }) },
    { name: "vacuumed", messages: 2 * size, run: () => sql`vacuum messages` },
    {
      name: "marked read",
      messages: marked,
      run: () => ask("POST", "/mark_topic_as_read", { stream_id: into, topic_name: topic }, members[1]),
    },
    {
      name: "deleted",
      messages: size,
      async run() {
        while ((await ask("POST", `/streams/${into}/delete_topic`, { topic_name: topic })) === false);
      },
    },
  ];
}

interface Measuring {
  database: BenchPostgres;
  parley: Parley;
  load: LoadProcess;
  sends: readonly string[];
}

async function measure(
  { database, parley, load, sends }: Measuring,
  messages: number,
  run: () => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const { sql } = database;
  await sql`checkpoint`;
  const walBefore = await database.walPosition();
  const postgresCpu = database.countCpu();
  const cpuBefore = parley.cpuMicroseconds();
  await parley.watchLoop();
  await load.beginSteady({ port: parley.port, requests: sends, everyMs: sendEveryMs });
  const startedAt = performance.now();
  await run();
  const answeredMs = performance.now() - startedAt;
  while ((await sql`select from unfinished_moves limit 1`).length > 0) await sleep(lookEveryMs);
  const overMs = performance.now() - startedAt;
  const { latenciesMs, failures } = await load.endSteady(answerMs);
  if (failures.length > 0) throw new Error(`A send failed: ${failures[0]}`);
  return {
    messages,
    answeredMs,
    overMs,
    parleyUs: (parley.cpuMicroseconds() - cpuBefore) / messages,
    postgresUs: postgresCpu.read() / messages,
    walBytes: Number((await database.walPosition()) - walBefore) / messages,
    sendP99Ms: percentiles(latenciesMs).p99,
    sendMaxMs: Math.max(...latenciesMs),
    pauseMs: await parley.longestPauseMs(),
  };
}
