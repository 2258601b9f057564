/**
 * Does a send cost more while all that asks others is on, and nobody answers it?
 *
 * Setup: six servers on copies of one organization of 64 people. Three ask nobody. Three have a language model, a relay
 * of notifications, a collector of traces, a bot's own server and sites to preview: each takes every connection and
 * never says anything. Before each slice people do the same on all six: they ask for summaries, mention the bot, send
 * links and write to somebody with a phone. Then a slice of sends goes to each server, in an order that is drawn anew.
 * Processes of the same code differ for as long as they live, by where things came to be in memory: hence three each.
 *
 * Twelve whole clients on the client library follow each server: they count that every message came once and in order.
 *
 * Unit: µs of CPU of Parley's process per send, by the median of its slices.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { channelMessages, type Member, startCommunity } from "../harness/community.ts";
import { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench } from "../harness/report.ts";
import { type RequestRun, runRequests } from "../harness/requests.ts";
import type { Setup } from "../harness/setup.ts";
import { median, percentiles } from "../harness/statistics.ts";
import { LoadProcess } from "../load/fleet.ts";
import { Aside } from "./aside.ts";
import { startSilence } from "./silence.ts";
import { WholeClients } from "./whole-clients.ts";

const people = 64;
const clients = 12;
const slices = 16;
const serversEach = 3;
const quickSlices = 2;
const sendsPerSlice = 1_000;
const quickSendsPerSlice = 50;
const concurrency = 16;
/** Within noise. Where servers that ask nobody differ by more among themselves, so much is the limit. */
const mostRatio = 1.05;
const heardWithinMs = 60_000;

interface Served {
  parley: Parley;
  load: LoadProcess;
  whole: WholeClients;
  runs: RequestRun[];
}

export const hanging: Bench = {
  name: "hanging",
  question: "Does a send cost more while all that asks others is on, and nobody answers?",
  async run(setup) {
    const silence = await startSilence(setup);
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: people,
      channels: [
        { name: "sends", subscribers: clients },
        { name: "asides", subscribers: 0 },
      ],
    });
    await parley.end();
    const served: Served[] = [];
    const kinds = Array.from({ length: 2 * serversEach }, (_, index) => (index % 2 === 0 ? "plain" : "beside"));
    for (const [index, kind] of kinds.entries()) {
      const settings = kind === "plain" ? {} : silence.settings;
      served.push(await serve(setup, await database.copy(setup, `hanging-${index}`), settings, members));
    }
    const sends = channelMessages(served[0]!.parley.owner, channelIds.get("sends")!);
    const place = { channelId: channelIds.get("asides")!, silence };
    const asides = await Promise.all(
      served.map(({ parley }, index) =>
        Aside.begin(setup, parley, members, { ...place, isAsked: kinds[index] === "beside" }),
      ),
    );
    await measure(setup, served, sends, async () => void (await Promise.all(asides.map((aside) => aside.ask()))));
    const costs = served.map(({ runs }) =>
      median(runs.map((run) => run.serverMicroseconds / run.result.latenciesMs.length)),
    );
    const of = <T>(kind: string, values: readonly T[]) => values.filter((_, index) => kinds[index] === kind);
    const [plain, beside] = [of("plain", costs), of("beside", costs)];
    const ratio = mean(beside) / mean(plain);
    const scatter = Math.max(...plain) / mean(plain);
    return {
      columns: [
        { key: "server", label: "server" },
        { key: "microseconds", label: "µs CPU/send", digits: 1 },
        { key: "p99Ms", label: "p99 ms", digits: 1 },
        { key: "heard", label: "heard by each whole client", digits: 0 },
      ],
      rows: [["three ask nobody", "plain"] as const, ["three with all on, and all hang", "beside"] as const].map(
        ([server, kind]) => ({
          server,
          microseconds: mean(of(kind, costs)),
          p99Ms: percentiles(of(kind, served).flatMap(({ runs }) => runs.flatMap((run) => run.result.latenciesMs))).p99,
          heard: Math.min(...of(kind, served).map(({ whole }) => whole.heard)),
        }),
      ),
      bounds: [
        {
          what: "CPU of a send, all on and hanging / nothing on",
          value: ratio,
          limit: Math.max(mostRatio, scatter),
          sense: "most",
          kind: "portable",
        },
        {
          what: "messages that a whole client missed, had twice or out of order",
          value: wrongIn(served),
          limit: 0,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [],
      notes: [
        `Connections that nobody answered: ${silence.told()}. ${asides[1]!.told()}`,
        `µs of each that asks nobody: ${told(plain)}; of each that asks all: ${told(beside)}.`,
      ],
    };
  },
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const told = (values: readonly number[]): string => values.map((value) => value.toFixed(0)).join(", ");

const wrongIn = (served: readonly Served[]): number => served.reduce((sum, { whole }) => sum + whole.wrong, 0);

async function serve(
  setup: Setup,
  database: BenchPostgres,
  settings: Readonly<Record<string, string>>,
  members: readonly Member[],
): Promise<Served> {
  const parley = await Parley.start(setup, database, undefined, settings);
  const whole = await WholeClients.follow(setup, `http://127.0.0.1:${parley.port}`, members.slice(0, clients));
  return { parley, load: new LoadProcess(setup, `sends-${parley.port}`), whole, runs: [] };
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, by: Math.random() }))
    .sort((one, other) => one.by - other.by)
    .map(({ item }) => item);
}

/** The first slice warms up. Whoever is first after the asking pays more, and that is nobody more often than others. */
async function measure(
  setup: Setup,
  served: readonly Served[],
  requests: readonly string[],
  beforeSlice: () => Promise<void>,
): Promise<void> {
  const count = setup.quick ? quickSendsPerSlice : sendsPerSlice;
  let sent = 0;
  for (let slice = -1; slice < (setup.quick ? quickSlices : slices); slice++) {
    await beforeSlice();
    for (const { parley, load, whole, runs } of shuffled(served)) {
      const run = await runRequests(parley, load, undefined, { requests, concurrency, count });
      await whole.until(sent + count, heardWithinMs);
      if (slice >= 0) runs.push(run);
    }
    sent += count;
    await sleep(0);
  }
}
