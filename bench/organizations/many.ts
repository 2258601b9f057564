/**
 * What does one server cost that serves thousands of small organizations?
 *
 * Setup: 2,000 and 10,000 organizations of five people, each with 20 channels and 100 messages, in one PostgreSQL. The
 * server starts; 200 of them are woken one after another; then up to 2,000 are in memory, and one person in each waits
 * in a poll. PostgreSQL goes away for ten seconds while one message is sent in each, and comes back. At the end
 * everything is backed up while the server serves.
 *
 * Units: ms; MB of resident memory and kB of JavaScript heap; ms of CPU of Parley's process per second.
 */
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FarPostgres, startFarPostgres } from "../distance/far-postgres.ts";
import { ask, loadedOrganizations, type Organization, writeOrganizations } from "../harness/organizations.ts";
import { measureCommand, Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import type { Setup } from "../harness/setup.ts";
import { percentiles } from "../harness/statistics.ts";

const counts = [2_000, 10_000];
const quickCounts = [20];
const peopleInEach = 5;
const wokenAlone = 200;
const atOnce = 16;
/** Others sleep, as those do that nobody uses. More would not fit into the heap that Node.js takes by itself. */
const mostInMemory = 2_000;
const awayMs = 10_000;
const patienceMs = 120_000;

/** The bounds that the project set itself. */
const mostAwayMsPerSecond = 200;
const mostBackMs = 5_000;

interface Outage {
  cpuMsPerSecond: number;
  lines: number;
  backMs: number;
  pollsEnded: number;
}

export const manyOrganizations: Bench = {
  name: "many-organizations",
  question: "What do thousands of small organizations cost on one server, also while PostgreSQL is away?",
  async run(setup) {
    const postgres = await BenchPostgres.start(setup);
    const rows: Row[] = [];
    for (const count of setup.quick ? quickCounts : counts) rows.push(await measure(setup, postgres, count));
    const worst = (key: string) => Math.max(...rows.map((row) => Number(row[key])));
    return {
      columns: [
        { key: "count", label: "organizations", digits: 0 },
        { key: "startMs", label: "start ms", digits: 0 },
        { key: "idleMb", label: "resident MB then", digits: 0 },
        { key: "wakeMs", label: "one is woken, median ms", digits: 1 },
        { key: "wakeLateMs", label: "p99", digits: 1 },
        { key: "heapKb", label: "heap kB of each in memory", digits: 0 },
        { key: "allMb", label: "resident MB with up to 2,000 in memory", digits: 0 },
        { key: "connections", label: "connections", digits: 0 },
        { key: "awayCpu", label: "CPU ms/s while PostgreSQL is away", digits: 0 },
        { key: "awayLines", label: "log lines of it", digits: 0 },
        { key: "backMs", label: "all take sends again after ms", digits: 0 },
        { key: "pollsEnded", label: "polls that ended", digits: 0 },
        { key: "backupMs", label: "backup ms", digits: 0 },
        { key: "backupMb", label: "MB", digits: 1 },
      ],
      rows,
      bounds: [
        {
          what: "CPU ms a second of a server whose PostgreSQL is away, with a send and a poll in each organization",
          value: worst("awayCpu"),
          limit: mostAwayMsPerSecond,
          sense: "most",
          kind: "machine",
        },
        {
          what: "ms until a send is taken in every organization, once PostgreSQL is back",
          value: worst("backMs"),
          limit: mostBackMs,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        "Tables are brought up to date once for all organizations; no migration since the 42nd changes their rows.",
        `${wokenAlone} are woken one after another, by the newest messages; the others ${atOnce} at once.`,
      ],
    };
  },
};

async function measure(setup: Setup, postgres: BenchPostgres, count: number): Promise<Row> {
  const database = await postgres.copy(setup, `many_${count}`);
  // The first start makes the tables.
  await (await Parley.start(setup, database)).end();
  setup.log(`writing ${count} organizations of ${peopleInEach} people`);
  const used = (await writeOrganizations(database, count, peopleInEach)).slice(0, mostInMemory);
  const relay = await startFarPostgres(database.url, 0);
  const parley = await Parley.start(setup, relay, undefined, { PARLEY_REALM_IDLE_AFTER: "86400" });
  const idle = await parley.memory();
  setup.log("waking them");
  const alone: number[] = [];
  for (const organization of used.slice(0, wokenAlone)) alone.push(await timed(() => wake(parley, organization)));
  await all(used.slice(wokenAlone), (organization) => wake(parley, organization));
  if ((await loadedOrganizations(parley)) < used.length) throw new Error("not all organizations are in memory");
  const loaded = await parley.memory();
  const polls = await all(used, (organization) => park(parley, organization));
  const connections = await connectionsOf(database);
  setup.log(`PostgreSQL goes away for ${awayMs / 1000} s`);
  const outage = await outageOf(setup, parley, relay, used, polls);
  setup.log("backing up");
  const file = join(setup.folder, `backup-${count}`);
  const backup = await measureCommand(setup, database, ["backup", file]);
  await parley.end();
  await relay.close();
  const woken = percentiles(alone);
  return {
    count,
    startMs: parley.startedInMs,
    idleMb: idle.residentSet / 1e6,
    wakeMs: woken.p50,
    wakeLateMs: woken.p99,
    heapKb: (loaded.heapUsed + loaded.external - idle.heapUsed - idle.external) / used.length / 1000,
    allMb: loaded.residentSet / 1e6,
    connections,
    awayCpu: outage.cpuMsPerSecond,
    awayLines: outage.lines,
    backMs: outage.backMs,
    pollsEnded: outage.pollsEnded,
    backupMs: backup.wallMs,
    backupMb: statSync(file).size / 1e6,
  };
}

const newest = "/api/v1/messages?anchor=newest&num_before=50&num_after=0";
const wake = (parley: Parley, { host, member }: Organization) => ask(parley, host, member, "GET", newest);
const greeting = { type: "channel", to: '"general"', topic: "bench", content: "**Hello**" };
const send = (parley: Parley, { host, member }: Organization) =>
  ask(parley, host, member, "POST", "/api/v1/messages", greeting);

interface ParkedPoll {
  isOver: boolean;
}

/** Leaves a poll waiting for something that does not happen. */
async function park(parley: Parley, { host, member }: Organization): Promise<ParkedPoll> {
  const wanted = { event_types: '["realm"]', fetch_event_types: '["message"]' };
  const { queue_id: id } = (await ask(parley, host, member, "POST", "/api/v1/register", wanted)) as {
    queue_id: string;
  };
  const poll: ParkedPoll = { isOver: false };
  const over = () => {
    poll.isOver = true;
  };
  ask(parley, host, member, "GET", `/api/v1/events?queue_id=${id}&last_event_id=-1`).then(over, over);
  return poll;
}

async function outageOf(
  setup: Setup,
  parley: Parley,
  relay: FarPostgres,
  made: readonly Organization[],
  polls: readonly ParkedPoll[],
): Promise<Outage> {
  const lines = async () => (await readFile(join(setup.folder, "parley.log"), "utf8")).split("\n").length;
  const linesBefore = await lines();
  await relay.close();
  // Their answers come late, or say that nothing can be stored.
  const sends = all(made, (organization) => send(parley, organization).catch(() => {}), made.length);
  await sleep(awayMs / 10);
  const [from, usedBefore] = [performance.now(), parley.cpuMicroseconds()];
  await sleep(awayMs - awayMs / 10);
  const cpuMsPerSecond = (parley.cpuMicroseconds() - usedBefore) / (performance.now() - from);
  const linesOfIt = (await lines()) - linesBefore;
  await relay.open();
  const backMs = await timed(() => all(made, (organization) => untilTaken(parley, organization), 64));
  await sends;
  return { cpuMsPerSecond, lines: linesOfIt, backMs, pollsEnded: polls.filter(({ isOver }) => isOver).length };
}

async function untilTaken(parley: Parley, organization: Organization): Promise<void> {
  for (const givenUpAt = performance.now() + patienceMs; ; await sleep(20)) {
    try {
      await send(parley, organization);
      return;
    } catch (error) {
      if (performance.now() > givenUpAt) throw error;
    }
  }
}

async function connectionsOf({ sql }: BenchPostgres): Promise<number> {
  const [row] = await sql<{ count: string }[]>`
    select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  return Number(row?.count);
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await task();
  return performance.now() - from;
}

/** Does a task with each, so many at once. */
async function all<Item, Result>(
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
  most = atOnce,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...items];
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) results.push(await task(next));
  };
  await Promise.all(Array.from({ length: most }, work));
  return results;
}
