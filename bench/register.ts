/**
 * What does the whole state of a large organization cost, which every client asks for when it starts?
 *
 * Setup: an organization of 10,000 people and 1,000 channels, then one of 100,000 people. The caller is in 100
 * channels, the others in 10. The caller asks for everything, as a phone does. 100 of them at once show whether others
 * are stalled: the longest pause of the event loop.
 *
 * Asked for twice: as it is, and compressed (Accept-Encoding: gzip), as nearly all clients do.
 *
 * Units: ms of CPU of Parley's process per POST /register; bytes of its answer; ms of pause.
 */
import { type Member, startCommunity, subscribe } from "./harness/community.ts";
import { repeat } from "./harness/measure.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { requestFigures, runRequests } from "./harness/requests.ts";
import { Setup } from "./harness/setup.ts";
import { LoadProcess } from "./load/fleet.ts";
import { form } from "./load/request.ts";

const people = [10_000, 100_000];
const quickPeople = [100, 1_000];
const channels = 1_000;
const quickChannels = 50;
const channelsOfCaller = 100;
const channelsOfOthers = 10;
const atOnce = 100;
const requestsPerRun = [40, 10];

/** The bounds that the project set itself. */
const mostCpuMs = 15;
const mostPauseMs = 50;
/** For a client that accepts gzip, as nearly all do. */
const mostGzipCpuMs = 4;
const mostGzipBytes = 900_000;
/** CPU may grow as the bytes do; a tenth more is noise. */
const mostGrowthPerByte = 1.1;

const capabilities = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  empty_topic_name: true,
};

/** What a web client declares. */
export const webCapabilities = {
  ...capabilities,
  linkifier_url_template: true,
  user_list_incomplete: true,
  include_deactivated_groups: true,
  archived_channels: true,
};

/** What a phone asks for. @param other what another client asks otherwise */
export const everything = (member: Member, other: Readonly<Record<string, unknown>> = {}): string =>
  form(
    "POST",
    "/api/v1/register",
    {
      apply_markdown: true,
      client_gravatar: false,
      slim_presence: true,
      include_subscribers: false,
      client_capabilities: capabilities,
      ...other,
    },
    member,
  );

export const register: Bench = {
  name: "register",
  question: "What does POST /register cost in an organization of 10,000 and of 100,000 people?",
  async run(setup) {
    const rows: Row[] = [];
    for (const [index, size] of (setup.quick ? quickPeople : people).entries()) {
      setup.log(`${size} people`);
      const part = new Setup(`register-${size}`, setup.quick);
      try {
        rows.push(await measure(part, size, requestsPerRun[index]!));
      } finally {
        await part.end();
      }
    }
    const [small, large] = [rows[0]!, rows.at(-1)!];
    const growth = (key: string): number => Number(large[key]) / Number(small[key]);
    return {
      columns: [
        { key: "people", label: "people", digits: 0 },
        { key: "cpuMs", label: "Parley ms/register", digits: 2 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "postgresMs", label: "PostgreSQL ms/register", digits: 2 },
        { key: "bytes", label: "bytes", digits: 0 },
        { key: "nanosecondsPerByte", label: "ns/byte", digits: 2 },
        { key: "p50Ms", label: "p50 ms", digits: 1 },
        { key: "p99Ms", label: "p99 ms", digits: 1 },
        { key: "gzipCpuMs", label: "gzip: Parley ms/register", digits: 2 },
        { key: "gzipBytes", label: "bytes", digits: 0 },
        { key: "gzipP99Ms", label: "p99 ms", digits: 1 },
        { key: "pauseMs", label: `longest pause, ${atOnce} at once, ms`, digits: 0 },
      ],
      rows,
      bounds: [
        {
          what: `CPU ms per register with ${small["people"]} people`,
          value: Number(small["cpuMs"]),
          limit: mostCpuMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: `CPU ms per register with ${small["people"]} people, gzip`,
          value: Number(small["gzipCpuMs"]),
          limit: mostGzipCpuMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: `bytes per register with ${small["people"]} people, gzip`,
          value: Number(small["gzipBytes"]),
          limit: mostGzipBytes,
          sense: "most",
          kind: "portable",
        },
        {
          what: "growth of CPU / growth of bytes",
          value: growth("cpuMs") / growth("bytes"),
          limit: mostGrowthPerByte,
          sense: "most",
          kind: "portable",
        },
        {
          what: `longest pause in ms, ${atOnce} registers at once, ${small["people"]} people`,
          value: Number(small["pauseMs"]),
          limit: mostPauseMs,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        "The first figures are of clients that accept no compression, the ones called gzip of those that do (Accept-Encoding: gzip).",
      ],
    };
  },
};

async function measure(setup: Setup, size: number, count: number): Promise<Row> {
  const channelCount = setup.quick ? quickChannels : channels;
  const database = await BenchPostgres.start(setup);
  const { parley, members } = await startCommunity(setup, database, {
    users: size,
    channels: [],
    seeded: { channels: channelCount, channelsEach: channelsOfOthers, messages: 0 },
    async write(sql, [caller]) {
      const rows = await sql<{ id: string }[]>`select id from channels order by id limit ${channelsOfCaller}`;
      await subscribe(
        sql,
        rows.map((row) => Number(row.id)),
        [caller!],
      );
    },
  });
  const load = new LoadProcess(setup, "callers");
  const requests = [everything(members[0]!)];
  const runs = await repeat(() => runRequests(parley, load, database, { requests, concurrency: 1, count }));
  const figures = requestFigures(runs, count);
  const gzipped = requests.map((request) => request.replace("\r\n", "\r\nAccept-Encoding: gzip\r\n"));
  const gzipRuns = await repeat(() =>
    runRequests(parley, load, database, { requests: gzipped, concurrency: 1, count }),
  );
  const gzip = requestFigures(gzipRuns, count);
  await parley.watchLoop();
  await runRequests(parley, load, database, { requests, concurrency: atOnce, count: atOnce });
  return {
    people: size,
    cpuMs: figures.serverMicroseconds / 1000,
    spreadPercent: figures.spreadPercent,
    gzipCpuMs: gzip.serverMicroseconds / 1000,
    gzipBytes: gzip.bytes,
    gzipP99Ms: gzip.p99Ms,
    postgresMs: figures.postgresMicroseconds / 1000,
    bytes: figures.bytes,
    nanosecondsPerByte: (1000 * figures.serverMicroseconds) / figures.bytes,
    p50Ms: figures.p50Ms,
    p99Ms: figures.p99Ms,
    pauseMs: await parley.longestPauseMs(),
  };
}
