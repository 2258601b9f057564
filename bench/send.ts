/**
 * What does it cost to take in a message that must not be lost, and does it grow with the number of subscribers?
 *
 * Setup: 64 people, each with one connection, send to one channel as fast as they are answered. An answer means that
 * the message is on disk (`fsync` on). The channel has 10, 1,000 and 100,000 subscribers of one organization; nobody
 * polls. Beside it, in the same run, in turn and on the same PostgreSQL: bare postgres.js (`floor/postgres-insert.ts`).
 * It inserts the rows that Parley writes for these messages, in batches of 200.
 *
 * Units: sends per second of CPU of Parley's process; sends per second of wall time; rows written per message.
 */
import { join } from "node:path";
import type { Source } from "./floor/postgres-insert.ts";
import { Child } from "./harness/child.ts";
import { type Community, channelMessages, startCommunity } from "./harness/community.ts";
import { alternate, cost, loadBusyPercent, over } from "./harness/measure.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import type { Setup } from "./harness/setup.ts";
import { percentiles } from "./harness/statistics.ts";
import { LoadProcess } from "./load/fleet.ts";

const senders = 64;
const subscribers = [10, 1_000, 100_000];
const quickSubscribers = [10, 100];
/** Sends of one run: about two seconds of the server's CPU. */
const sendsPerRun = 20_000;
const quickSendsPerRun = 500;
const messagesPerBatch = 200;

/** The bounds that the project set itself. */
const leastSendsPerCpuSecond = 8_000;
const leastShareOfPostgres = 0.35;
const mostGrowth = 1.2;

export const send: Bench = {
  name: "send",
  question: "How many durable messages do 64 senders get through, beside bare PostgreSQL inserting the same rows?",
  async run(setup) {
    const sizes = setup.quick ? quickSubscribers : subscribers;
    const database = await BenchPostgres.start(setup);
    const community = await startCommunity(setup, database, {
      users: Math.max(senders, sizes.at(-1)!),
      channels: sizes.map((size) => ({ name: `send-${size}`, subscribers: size })),
    });
    const load = new LoadProcess(setup, "senders");
    const floor = new Child({
      script: new URL("floor/postgres-insert.js", import.meta.url),
      logFile: join(setup.folder, "postgres-insert.log"),
    });
    setup.atEnd(() => floor.end());

    const rows: Row[] = [];
    for (const size of sizes) {
      setup.log(`${size} subscribers`);
      rows.push(await measure(setup, community, database, load, floor, size));
    }

    const figure = (key: string): number[] => rows.map((row) => Number(row[key]));
    return {
      columns: [
        { key: "subscribers", label: "subscribers", digits: 0 },
        { key: "sendsPerCpuSecond", label: "sends/CPU-s", digits: 0 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "parleyMicroseconds", label: "Parley µs/send", digits: 1 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs/send", digits: 1 },
        { key: "sendsPerSecond", label: "sends/s", digits: 0 },
        { key: "floorPerSecond", label: "floor rows of sends/s", digits: 0 },
        { key: "shareOfPostgres", label: "share", digits: 2 },
        { key: "rowsPerMessage", label: "rows/message", digits: 2 },
        { key: "walBytesPerMessage", label: "WAL B/message", digits: 0 },
        { key: "p50Ms", label: "p50 ms", digits: 1 },
        { key: "p99Ms", label: "p99 ms", digits: 1 },
        { key: "loadBusyPercent", label: "load busy %", digits: 0 },
      ],
      rows,
      bounds: [
        {
          what: "sends per CPU-second of Parley's process, worst",
          value: Math.min(...figure("sendsPerCpuSecond")),
          limit: leastSendsPerCpuSecond,
          sense: "least",
          kind: "machine",
        },
        {
          what: "sends/s beside bare PostgreSQL's for the same rows, worst share",
          value: Math.min(...figure("shareOfPostgres")),
          limit: leastShareOfPostgres,
          sense: "least",
          kind: "portable",
        },
        {
          what: `CPU per send, ${sizes.at(-1)} subscribers / ${sizes[0]}`,
          value: figure("parleyMicroseconds").at(-1)! / figure("parleyMicroseconds")[0]!,
          limit: mostGrowth,
          sense: "most",
          kind: "portable",
        },
        {
          what: `rows written per message, ${sizes.at(-1)} subscribers / ${sizes[0]}`,
          value: figure("rowsPerMessage").at(-1)! / figure("rowsPerMessage")[0]!,
          limit: 1.05,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [
        {
          file: "send",
          title: "CPU per durable send",
          xLabel: "subscribers of the channel",
          yLabel: "µs",
          series: [
            {
              name: "Parley",
              points: rows.map((row) => [Number(row["subscribers"]), Number(row["parleyMicroseconds"])] as const),
            },
            {
              name: "PostgreSQL",
              points: rows.map((row) => [Number(row["subscribers"]), Number(row["postgresMicroseconds"])] as const),
            },
          ],
        },
      ],
      notes: [
        `Parley runs ${community.parley.build}. After each run, every acknowledged message was found in the database once.`,
        "Rows are those inserted, updated and deleted by PostgreSQL's own statistics over all of Parley's tables; messages are rendered from Markdown.",
        "Server, PostgreSQL, and load generator share this machine's cores: sends/s is what is left to each. CPU per send does not depend on it.",
      ],
    };
  },
};

async function measure(
  setup: Setup,
  community: Community,
  database: BenchPostgres,
  load: LoadProcess,
  floor: Child,
  size: number,
): Promise<Row> {
  const { parley, members, channelIds } = community;
  const channelId = channelIds.get(`send-${size}`)!;
  const count = setup.quick ? quickSendsPerRun : sendsPerRun;
  const requests = members.slice(0, senders).flatMap((member) => channelMessages(member, channelId, 1));
  const run = async () => {
    const before = await storedMessages(database, channelId);
    const used = await cost(parley, load, database, () =>
      load.closedLoop({ port: parley.port, requests, concurrency: senders, count, timeoutMs: 120_000 }),
    );
    const stored = (await storedMessages(database, channelId)) - before;
    if (stored !== count) throw new Error(`${count} messages were acknowledged, ${stored} are stored`);
    return used;
  };

  const written = await rowsPerMessage(database, count, run);
  const source: Source = { url: database.url, tables: written.inserted, messagesPerBatch };
  await floor.ask("prepare", source);
  const [parleyRuns, floorRuns] = await alternate(run, () => floor.ask<{ wallMs: number }>("insert", count));

  const perSend = over(parleyRuns, (one) => one.serverMicroseconds / count);
  const perSecond = over(parleyRuns, (one) => (1000 * count) / one.result.wallMs).median;
  const floorPerSecond = over(floorRuns, (one) => (1000 * count) / one.wallMs).median;
  const latency = percentiles(parleyRuns.flatMap((one) => one.result.latenciesMs));
  return {
    subscribers: size,
    sendsPerCpuSecond: 1e6 / perSend.median,
    spreadPercent: perSend.spreadPercent,
    parleyMicroseconds: perSend.median,
    postgresMicroseconds: over(parleyRuns, (one) => one.postgresMicroseconds / count).median,
    sendsPerSecond: perSecond,
    floorPerSecond,
    shareOfPostgres: perSecond / floorPerSecond,
    rowsPerMessage: written.rowsPerMessage,
    walBytesPerMessage: written.walBytesPerMessage,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    loadBusyPercent: over(parleyRuns, loadBusyPercent).median,
  };
}

async function storedMessages(database: BenchPostgres, channelId: number): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from messages where channel_id = ${channelId}`;
  return row!.count;
}

/** A table grows with the messages when it gets at least so many rows for each. */
const leastRowsPerMessage = 0.5;

/** What PostgreSQL wrote for the messages of one run. */
async function rowsPerMessage(
  database: BenchPostgres,
  count: number,
  run: () => Promise<unknown>,
): Promise<{ rowsPerMessage: number; walBytesPerMessage: number; inserted: Source["tables"] }> {
  const before = await database.rowsWritten("messages");
  const walBefore = await database.walPosition();
  await run();
  const walBytes = (await database.walPosition()) - walBefore;
  const tables = [...(await database.rowsWritten("messages"))].map(([name, after]) => ({
    name,
    rowsPerMessage: (after - (before.get(name) ?? 0)) / count,
  }));
  return {
    rowsPerMessage: tables.reduce((sum, table) => sum + table.rowsPerMessage, 0),
    walBytesPerMessage: Number(walBytes) / count,
    inserted: tables.filter((table) => table.rowsPerMessage >= leastRowsPerMessage),
  };
}
