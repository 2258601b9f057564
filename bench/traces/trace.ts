/**
 * What do traces cost?
 *
 * Setup: four servers on copies of one organization of 100 people. One traces nothing, one a hundredth of what is asked
 * of it, and one everything. The fourth traces a hundredth to a collector that takes connections and never answers.
 * Slices of the same requests go to each in turn, 16 at a time: pings, the newest 20 messages, the server's settings,
 * and sends.
 *
 * Unit: µs of CPU of Parley's process per request, and the median of the ratios of neighbouring slices to the one
 * without traces. A slice that the machine slows down hardly moves that median.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { channelMessages, type Member, startCommunity } from "../harness/community.ts";
import { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench } from "../harness/report.ts";
import { runRequests } from "../harness/requests.ts";
import type { Setup } from "../harness/setup.ts";
import { median } from "../harness/statistics.ts";
import { LoadProcess } from "../load/fleet.ts";
import { form, get } from "../load/request.ts";

const people = 100;
const slices = 40;
const quickSlices = 2;
const requestsPerSlice = 2_000;
const quickRequestsPerSlice = 100;
const concurrency = 16;
/** The bound that the project set itself: one per cent of CPU at a hundredth sampled. */
const mostRatio = 1.01;

interface Arm {
  traces: string;
  settings: Readonly<Record<string, string>>;
}

export const trace: Bench = {
  name: "trace",
  question: "What do traces cost a request, sampled, to a collector that hangs, and of everything?",
  async run(setup) {
    const answering = await startCollector(setup, true);
    const hanging = await startCollector(setup, false);
    const arms: Arm[] = [
      { traces: "none", settings: {} },
      { traces: "a hundredth", settings: { PARLEY_OTLP_URL: answering.url } },
      { traces: "a hundredth, collector hangs", settings: { PARLEY_OTLP_URL: hanging.url } },
      { traces: "all", settings: { PARLEY_OTLP_URL: answering.url, PARLEY_TRACE_SAMPLING: "1" } },
    ];
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: people,
      channels: [{ name: "traced", subscribers: people }],
      seeded: { channels: 5, channelsEach: 3, messages: 1_000 },
    });
    const requests = mixed(members, parley, channelIds.get("traced")!);
    await parley.end();
    const served = [];
    for (const [index, { settings }] of arms.entries())
      served.push(await Parley.start(setup, await database.copy(setup, `traced-${index}`), undefined, settings));
    const costs = await measure(setup, served, requests);
    const ratios = costs.map((each) => median(each.map((value, slice) => value / costs[0]![slice]!)));
    return {
      columns: [
        { key: "traces", label: "traced" },
        { key: "microseconds", label: "µs CPU/request", digits: 1 },
        { key: "ratio", label: "to none, median of slices", digits: 3 },
      ],
      rows: arms.map(({ traces }, index) => ({
        traces,
        microseconds: median(costs[index]!),
        ratio: ratios[index]!,
      })),
      bounds: [1, 2].map((index) => ({
        what: `CPU of a request with traces of ${arms[index]!.traces} / without`,
        value: ratios[index]!,
        limit: mostRatio,
        sense: "most",
        kind: "portable",
      })),
      plots: [],
      notes: [
        `The collector was sent ${answering.received()} batches, the one that hangs ${hanging.received()}; neither runs in Parley's process.`,
      ],
    };
  },
};

function mixed(members: readonly Member[], { owner }: Parley, channelId: number): string[] {
  const sends = channelMessages(owner, channelId, 4);
  return members
    .slice(0, 32)
    .flatMap((member, place) => [
      form("POST", "/api/v1/users/me/presence", { status: "active", ping_only: true, slim_presence: true }, member),
      get("/api/v1/messages?anchor=newest&num_before=20&num_after=0&apply_markdown=true", member),
      get("/api/v1/server_settings"),
      sends[place % sends.length]!,
    ]);
}

/** µs per request of each server, slice by slice. The order turns, so that none always comes first. */
async function measure(setup: Setup, served: readonly Parley[], requests: readonly string[]): Promise<number[][]> {
  const count = setup.quick ? quickRequestsPerSlice : requestsPerSlice;
  const loads = served.map((_, index) => new LoadProcess(setup, `traced-${index}`));
  const costs: number[][] = served.map(() => []);
  // The first slice warms up.
  for (let slice = -1; slice < (setup.quick ? quickSlices : slices); slice++) {
    for (let turn = 0; turn < served.length; turn++) {
      const index = (turn + slice + 1) % served.length;
      const load = { requests, concurrency, count: slice < 0 ? 2 * count : count };
      const run = await runRequests(served[index]!, loads[index]!, undefined, load);
      if (slice >= 0) costs[index]!.push(run.serverMicroseconds / count);
    }
  }
  return costs;
}

interface Collector {
  url: string;
  received(): number;
}

/** Takes OTLP batches, and answers each or none. */
async function startCollector(setup: Setup, answers: boolean): Promise<Collector> {
  let received = 0;
  const server = createServer((request, response) => {
    received++;
    request.resume();
    if (answers) request.on("end", () => response.setHeader("content-type", "application/json").end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  setup.atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received: () => received };
}
