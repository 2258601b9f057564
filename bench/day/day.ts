/**
 * What does a day cost?
 *
 * Setup: 20,000 accounts (or `--people`), each in 10 of 2,000 channels and in one of all. A quarter of them is online
 * with full clients: 68 % pages, 30 % phones, 2 % terminals. That distribution is an assumption. They register for what
 * the real clients register for. Each pings presence once a minute, and the other requests follow in the documented
 * proportions. Messages go to channels of which some 25 people are online.
 *
 * Rates are real ones, so a phase of minutes stands for the hours that look like it. A whole day takes ten minutes, or
 * `--seconds`: all join; they work; the server is restarted at noon, and all take their queues up; an announcement that
 * all mark as read; work again; an evening with a tenth of the people.
 *
 * Units: ms of CPU, user and system, of Parley's process and of all of PostgreSQL's, for each person online and hour.
 * ms from when a message was due to the reading of its event by a client that followed by then. MiB of Parley's
 * resident memory, the most that was seen. MB written ahead, and by which the database grew.
 */
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Member, startCommunity } from "../harness/community.ts";
import { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Bound, Report, Row } from "../harness/report.ts";
import type { Setup } from "../harness/setup.ts";
import { percentiles } from "../harness/statistics.ts";
import { basic } from "../load/request.ts";
import { kindOf, type Person } from "./asks.ts";
import { CrewProcess } from "./fleet.ts";
import type { Ask } from "./tally.ts";
import { documented } from "./zulip.ts";

const accounts = 20_000;
const quickAccounts = 200;
/** One of so many accounts is online. */
const onlineEvery = 4;
const accountsPerChannel = 10;
const channelsEach = 10;
const messagesPerAccount = 5;
/** One of so many messages that are there when the day begins has been read. */
const readPart = 5;
const daySecs = 600;
const quickSecs = 20;
/** Shares of the day's time. The restart takes what it takes, when that is more. */
const shares = { joins: 0.2, work: 0.25, deploy: 0.1, announcement: 0.1, afternoon: 0.15, evening: 0.2 };
/** All have marked an announcement as read after this share of its phase. */
const readingShare = 0.5;
const staying = 0.1;
const pingSecs = 60;
/** So that a tiny day has all kinds of requests. */
const quickPingSecs = 2;
const fileCount = 20;
const fileBytes = 40_000;
const lookEveryMs = 250;
const backMs = 600_000;
const checkMs = 120_000;
const workHours = 8;

/** The bounds that the project set itself. */
const mostSeenP99Ms = 1_000;
const mostResidentMib = 800;

const mib = 2 ** 20;
const mb = 1e6;

export const day: Bench = {
  name: "day",
  question: "What does a day of full clients cost, with its joins, a deploy at noon and an announcement?",
  async run(setup) {
    const running = await Day.begin(setup);
    await running.pass();
    return running.report();
  },
};

class Day {
  readonly #rows: Row[] = [];
  readonly #failures: string[] = [];
  readonly #notes: string[] = [];
  #lost = 0;
  #missed = 0;

  private constructor(
    private readonly setup: Setup,
    private readonly database: BenchPostgres,
    private parley: Parley,
    private readonly crew: CrewProcess,
    private readonly people: readonly Person[],
  ) {}

  /** Makes the organization; nobody is online yet. */
  static async begin(setup: Setup): Promise<Day> {
    const database = await BenchPostgres.start(setup);
    const users = setup.people ?? (setup.quick ? quickAccounts : accounts);
    const channels = Math.max(channelsEach, Math.ceil(users / accountsPerChannel));
    const isOnline = (place: number): boolean => place % onlineEvery === 0;
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users,
      channels: [{ name: "hall", subscribers: users }],
      seeded: { channels, channelsEach, messages: users * messagesPerAccount },
      write: async (sql) => {
        await sql`
          insert into read_states (user_id, recipient_id, realm_id, ids)
          select r.user_id, r.recipient_id, r.realm_id, int8multirange(int8range(1, m.first + m.count / ${readPart}::bigint))
          from received r, (select min(id) as first, count(*) as count from messages) m
          on conflict (user_id, recipient_id) do nothing`;
      },
    });
    const hallId = channelIds.get("hall") ?? 0;
    const online = members.filter((_, place) => isOnline(place));
    const people = await withChannels(database, online, hallId);
    const files = await putFiles(parley, hallId);
    const crew = new CrewProcess(setup, "crew");
    await crew.begin({
      port: parley.port,
      people,
      files,
      hallId,
      pingEverySecs: setup.quick ? quickPingSecs : pingSecs,
    });
    return new Day(setup, database, parley, crew, people);
  }

  async pass(): Promise<void> {
    const { crew, people } = this;
    const ms = 1000 * (this.setup.seconds ?? (this.setup.quick ? quickSecs : daySecs));
    const lasting = async (name: keyof typeof shares, act: () => Promise<unknown>): Promise<void> => {
      const until = performance.now() + ms * shares[name];
      await act();
      await sleep(Math.max(0, until - performance.now()));
    };
    await crew.work();
    await this.#phase("joins", people.length / 2, () => lasting("joins", () => crew.join(ms * shares.joins)));
    await this.#phase("work", people.length, () => lasting("work", async () => {}));
    await this.#phase("deploy", people.length, () => lasting("deploy", () => this.#deploy()));
    const readingMs = ms * shares.announcement * readingShare;
    await this.#phase("announcement", people.length, () => lasting("announcement", () => crew.announce(readingMs)));
    await this.#phase("afternoon", people.length, () => lasting("afternoon", async () => {}));
    await this.#check();
    const few = Math.ceil(people.length * staying);
    await crew.leave(few);
    await crew.work();
    await this.#phase("evening", few, () => lasting("evening", async () => {}));
    await this.#check();
  }

  async #phase(name: string, online: number, act: () => Promise<void>): Promise<void> {
    const { crew, database } = this;
    this.setup.log(name);
    await crew.take();
    const [wal, disk] = [await database.walPosition(), await sizeOf(database)];
    const postgres = database.countCpu();
    const load = crew.cpuMicroseconds();
    const watch = new Watch(() => this.parley);
    const startedAt = performance.now();
    await act();
    const secs = (performance.now() - startedAt) / 1000;
    const { microseconds, residentBytes } = await watch.end();
    const loadCores = (crew.cpuMicroseconds() - load) / 1e6 / secs;
    const postgresMs = postgres.read() / 1000;
    const { answers, seenMs, registerMs, refused, lost, failures } = await crew.take();
    this.#failures.push(...failures.map((failure) => `${name}: ${failure}`));
    this.#lost += lost;
    if (refused > 0) this.#notes.push(`${name}: ${refused} requests were asked to come again later (429 or 503).`);
    const total = Object.values(answers).reduce((sum, each) => sum + each, 0);
    const share = (ask: Ask): number => (100 * answers[ask]) / Math.max(1, total);
    const personHours = (online * secs) / 3600;
    const seen = percentiles(seenMs);
    this.#rows.push({
      phase: name,
      secs,
      online,
      requestsPerSecond: total / secs,
      eventsPercent: share("events"),
      presencePercent: share("presence"),
      nodeMs: microseconds / 1000 / personHours,
      postgresMs: postgresMs / personHours,
      perPersonMs: (microseconds / 1000 + postgresMs) / online,
      ...(registerMs.length > 0 && { registerP99Ms: percentiles(registerMs).p99 }),
      ...(seenMs.length > 0 && { seenP50Ms: seen.p50, seenP99Ms: seen.p99 }),
      residentMib: residentBytes / mib,
      walMb: Number((await database.walPosition()) - wal) / mb,
      diskMb: ((await sizeOf(database)) - disk) / mb,
      loadCores,
    });
    this.setup.log(`  ${JSON.stringify(this.#rows.at(-1))}`);
    if (failures.length > 0) this.setup.log(`  ${failures[0]}`);
  }

  /** Restarts the server. Resolves when everybody follows again. */
  async #deploy(): Promise<void> {
    const { crew, people } = this;
    await crew.expectRestart();
    const stoppedAt = performance.now();
    const { port } = this.parley;
    await this.parley.end();
    const endedMs = performance.now() - stoppedAt;
    this.parley = await Parley.start(this.setup, this.database, undefined, { PORT: String(port) });
    await crew.served();
    const awayMs = performance.now() - stoppedAt;
    const isBack = async (): Promise<boolean> =>
      (await crew.online()) >= people.length && (await parkedAt(this.parley)) >= people.length;
    for (const until = performance.now() + backMs; !(await isBack()); await sleep(lookEveryMs)) {
      if (performance.now() < until) continue;
      throw new Error(`${await crew.online()} of ${people.length} came back: ${JSON.stringify(await crew.take())}`);
    }
    const back = (performance.now() - stoppedAt) / 1000;
    this.#notes.push(
      `At noon the server was away for ${(awayMs / 1000).toFixed(1)} s, of which it took ${(endedMs / 1000).toFixed(1)} s to end. All ${people.length} followed again ${back.toFixed(1)} s after it was told to stop, waits between attempts included.`,
    );
  }

  async #check(): Promise<void> {
    const { said, missed, twice } = await this.crew.check(checkMs);
    this.setup.log(`${said} messages, ${missed} missed, ${twice} seen twice`);
    this.#missed += missed + twice;
  }

  report(): Report {
    const rows = [...this.#rows, wholeDay(this.#rows, this.people)];
    const zulip = documented(this.people.length);
    for (const failure of this.#failures) this.setup.log(failure);
    const greatest = (key: string): number =>
      Math.max(...this.#rows.filter(({ phase }) => phase !== "deploy").map((row) => Number(row[key] ?? 0)));
    const none = (what: string, value: number): Bound => ({ what, value, limit: 0, sense: "most", kind: "portable" });
    return {
      columns,
      rows: [
        ...rows,
        {
          phase: "Zulip's documentation",
          online: this.people.length,
          requestsPerSecond: zulip.requestsPerSecond,
          eventsPercent: 44,
          presencePercent: 36,
          nodeMs: zulip.msPerPersonHour,
          residentMib: zulip.memoryMib,
        },
      ],
      bounds: [
        none("requests that failed", this.#failures.length),
        none("queues that were lost", this.#lost),
        none("messages that a phone or terminal missed or saw twice", this.#missed),
        {
          what: "send → seen, p99 in ms, but for the deploy",
          value: greatest("seenP99Ms"),
          limit: mostSeenP99Ms,
          sense: "most",
          kind: "machine",
        },
        {
          what: "resident memory in MiB",
          value: Math.max(...this.#rows.map((row) => Number(row["residentMib"]))),
          limit: mostResidentMib,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        `Parley runs ${this.parley.build}. Load average of the machine in the last 15 minutes, this bench included: ${(loadavg()[2] ?? 0).toFixed(1)}.`,
        ...this.#notes,
        `The row "a day" is of ${workHours} hours like "work", the joins, the deploy, whose pages then join anew, and the announcement beyond that, and an hour like "evening" for a tenth of the people.`,
        "Of the deploy, messages count that were sent once it served again. Clients that wait before their next attempt see these late.",
        "A piece of a stream counts as an answer to a poll.",
        zulip.sentence,
      ],
    };
  }
}

const columns = [
  { key: "phase", label: "phase" },
  { key: "secs", label: "s", digits: 0 },
  { key: "online", label: "online", digits: 0 },
  { key: "requestsPerSecond", label: "requests/s", digits: 0 },
  { key: "eventsPercent", label: "of events %", digits: 0 },
  { key: "presencePercent", label: "presence %", digits: 0 },
  { key: "nodeMs", label: "Parley CPU ms/person and hour", digits: 0 },
  { key: "postgresMs", label: "PostgreSQL", digits: 0 },
  { key: "perPersonMs", label: "together ms/person, once", digits: 1 },
  { key: "registerP99Ms", label: "register p99 ms", digits: 0 },
  { key: "seenP50Ms", label: "send → seen p50 ms", digits: 1 },
  { key: "seenP99Ms", label: "p99 ms", digits: 1 },
  { key: "residentMib", label: "resident MiB", digits: 0 },
  { key: "walMb", label: "WAL MB", digits: 1 },
  { key: "diskMb", label: "disk MB", digits: 1 },
  { key: "loadCores", label: "cores: load", digits: 2 },
];

/** What the process under test used and held, also when another takes its place. */
class Watch {
  #used = 0;
  #last: { pid: number; microseconds: number };
  #resident = 0;
  readonly #looking: NodeJS.Timeout;

  constructor(private readonly parley: () => Parley) {
    this.#last = { pid: parley().pid, microseconds: parley().cpuMicroseconds() };
    this.#looking = setInterval(() => this.#look(), lookEveryMs);
  }

  #look(): void {
    const parley = this.parley();
    if (parley.hasEnded) return;
    const microseconds = parley.cpuMicroseconds();
    // A new process begins with nothing used.
    const before = parley.pid === this.#last.pid ? this.#last.microseconds : 0;
    this.#used += Math.max(0, microseconds - before);
    this.#last = { pid: parley.pid, microseconds };
    this.#resident = Math.max(this.#resident, parley.residentBytes());
  }

  async end(): Promise<{ microseconds: number; residentBytes: number }> {
    clearInterval(this.#looking);
    this.#look();
    return { microseconds: this.#used, residentBytes: this.#resident };
  }
}

/**
 * Per person and hour, over all hours that somebody is online. Pages join once more within half an hour of a deploy
 * that has another build of them.
 */
function wholeDay(rows: readonly Row[], people: readonly Person[]): Row {
  const pagePart = people.filter(({ kind }) => kind === "page").length / people.length;
  const figure = (phase: string, key: string): number => Number(rows.find((row) => row["phase"] === phase)?.[key]);
  const hours = workHours + staying;
  const of = (key: string): number => {
    const working = figure("work", key);
    const parts = { joins: 1 + pagePart, deploy: 1, announcement: 1 };
    const once = Object.entries(parts).map(([phase, times]) => {
      const hoursOfIt = figure(phase, "secs") / 3600;
      // Of the joins, half of the people were online on average.
      const online = phase === "joins" ? hoursOfIt / 2 : hoursOfIt;
      return Math.max(0, (figure(phase, key) - working) * online) * times;
    });
    return (workHours * working + once.reduce((sum, each) => sum + each, 0) + staying * figure("evening", key)) / hours;
  };
  return { phase: "a day", nodeMs: of("nodeMs"), postgresMs: of("postgresMs") };
}

async function withChannels({ sql }: BenchPostgres, members: readonly Member[], hallId: number): Promise<Person[]> {
  const ids = members.map(({ userId }) => String(userId));
  const rows = await sql<{ user_id: string; channels: string[] }[]>`
    select user_id, array_agg(channel_id::text) as channels from subscriptions
    where user_id in (select unnest(${ids}::bigint[])) and channel_id <> ${hallId} group by user_id`;
  const channels = new Map(rows.map((row) => [Number(row.user_id), row.channels.map(Number)]));
  return members.map((member, place) => ({
    ...member,
    kind: kindOf(place),
    channelIds: channels.get(member.userId) ?? [],
  }));
}

/** Files that the owner sends to all. Returns their addresses. */
async function putFiles(parley: Parley, hallId: number): Promise<string[]> {
  const urls: string[] = [];
  for (let index = 0; index < fileCount; index++) {
    const body = new FormData();
    body.set("file", new Blob([Buffer.alloc(fileBytes, index)]), `file-${index}.bin`);
    const answer = await fetch(`http://127.0.0.1:${parley.port}/api/v1/user_uploads`, {
      method: "POST",
      headers: { authorization: basic(parley.owner) },
      body,
    });
    const { url } = (await answer.json()) as { url?: string };
    if (url === undefined) throw new Error(`a file was answered ${answer.status}`);
    urls.push(url);
  }
  const content = urls.map((url) => `[file](${url})`).join(" ");
  await parley.call("POST", "/api/v1/messages", { type: "channel", to: [hallId], topic: "files", content });
  return urls;
}

async function sizeOf({ sql }: BenchPostgres): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`select pg_database_size(current_database()) as bytes`;
  return Number(row?.bytes);
}

/** Polls and streams that it holds. */
const parkedAt = async (parley: Parley): Promise<number> =>
  Number(/^parley_polls_parked (\d+)/m.exec(await parley.metrics())?.[1] ?? 0);
