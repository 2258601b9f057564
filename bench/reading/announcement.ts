/**
 * What does an announcement cost that everybody marks as read?
 *
 * Setup: so many people in one channel, each with a queue that takes messages and flags. Somebody sends twenty
 * messages. Then all mark the first as read at the same time, each on a connection of their own, then the second, and
 * so on. No poll is parked: what delivery costs, `fan-out` tells.
 *
 * Units: µs of CPU per reader and message, of Parley's process and of PostgreSQL's; bytes written ahead and rows of the
 * log for each.
 */
import { channelMessages, type Member, startCommunity } from "../harness/community.ts";
import { repeat } from "../harness/measure.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import { requestFigures, runRequests } from "../harness/requests.ts";
import { LoadProcess } from "../load/fleet.ts";
import { form } from "../load/request.ts";

const sizes = [50, 500, 2_500];
const quickSizes = [10, 40];
const messages = 20;
/** A process has so many connections open at most. */
const mostAtOnce = 1_000;
const timeoutMs = 300_000;

/** The bounds that the project set itself, with so many readers. */
const boundedReaders = 500;
const mostMicroseconds = 100;
const mostWalBytes = 200;
/** A reader may cost so much more among many than among few. */
const mostExponent = 0;

export const announcement: Bench = {
  name: "announcement",
  question: "What does an announcement cost that everybody marks as read?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const readers = setup.quick ? quickSizes : sizes;
    const most = Math.max(...readers);
    const channels = readers.map((subscribers) => ({ name: `hall ${subscribers}`, subscribers }));
    const { parley, members, channelIds } = await startCommunity(setup, database, { users: most, channels });
    const load = new LoadProcess(setup, "readers");
    const ask = (requests: readonly string[], keepBodies = false) =>
      load.closedLoop({ port: parley.port, requests, concurrency: 16, count: requests.length, keepBodies, timeoutMs });
    await ask(members.map(registration));
    const rows: Row[] = [];
    for (const count of readers) {
      const channelId = channelIds.get(`hall ${count}`)!;
      const wal: bigint[] = [];
      let logged = 0;
      const runs = await repeat(async () => {
        const sent = await ask(channelMessages(members[0]!, channelId, messages), true);
        const ids = sent.bodies.map((body) => (JSON.parse(body) as { id: number }).id);
        const requests = ids.flatMap((id) => members.slice(0, count).map((reader) => marking(reader, id)));
        const [walBefore, loggedBefore] = [await database.walPosition(), await logRows(database)];
        const run = await runRequests(parley, load, database, {
          requests,
          concurrency: Math.min(count, mostAtOnce),
          count: requests.length,
        });
        wal.push((await database.walPosition()) - walBefore);
        logged += (await logRows(database)) - loggedBefore;
        return run;
      });
      const marks = count * messages;
      const { serverMicroseconds, postgresMicroseconds, spreadPercent, p50Ms, p99Ms } = requestFigures(runs, marks);
      rows.push({
        readers: count,
        serverMicroseconds,
        postgresMicroseconds,
        togetherMicroseconds: serverMicroseconds + postgresMicroseconds,
        spreadPercent,
        // Besides marks, the first run has images of pages in it.
        walBytes: Number(wal.slice(1).reduce((sum, bytes) => sum + bytes, 0n)) / marks / (wal.length - 1),
        logRows: logged / marks / wal.length,
        p50Ms,
        p99Ms,
      });
      setup.log(`  ${JSON.stringify(rows.at(-1))}`);
    }
    const [small, large] = [rows[0]!, rows.at(-1)!];
    const growth = (key: string): number => Math.log(Number(large[key]) / Number(small[key]));
    const bounded = rows.find((row) => row["readers"] === boundedReaders) ?? large;
    const bound = (what: string, key: string, limit: number) =>
      ({ what: `${what}, ${bounded["readers"]} readers`, value: Number(bounded[key]), limit, sense: "most" }) as const;
    return {
      columns: [
        { key: "readers", label: "readers", digits: 0 },
        { key: "serverMicroseconds", label: "Parley µs", digits: 0 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs", digits: 0 },
        { key: "togetherMicroseconds", label: "together µs", digits: 0 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "walBytes", label: "WAL bytes", digits: 0 },
        { key: "logRows", label: "rows of the log", digits: 3 },
        { key: "p50Ms", label: "p50 ms", digits: 1 },
        { key: "p99Ms", label: "p99 ms", digits: 1 },
      ],
      rows,
      bounds: [
        { ...bound("µs of CPU per reader and message", "togetherMicroseconds", mostMicroseconds), kind: "machine" },
        { ...bound("WAL bytes per reader and message", "walBytes", mostWalBytes), kind: "portable" },
        {
          what: "exponent of the CPU per reader and message, by the readers",
          value: growth("togetherMicroseconds") / growth("readers"),
          limit: mostExponent,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [],
      notes: [],
    };
  },
};

const registration = (member: Member): string =>
  form(
    "POST",
    "/api/v1/register",
    { event_types: ["message", "update_message_flags"], fetch_event_types: [], idle_queue_timeout: 3600 },
    member,
  );

const marking = (reader: Member, id: number): string =>
  form("POST", "/api/v1/messages/flags", { messages: [id], op: "add", flag: "read" }, reader);

async function logRows({ sql }: BenchPostgres): Promise<number> {
  const [row] = await sql<{ rows: string }[]>`select count(*) as rows from realm_log`;
  return Number(row!.rows);
}
