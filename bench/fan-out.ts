/**
 * What does delivering one event to one client cost, and does it grow with the number of clients?
 *
 * Setup: N people, each with one queue for message events and a parked poll on a connection of its own, all subscribed
 * to one channel. A message is sent; when all N have received it and asked again, the next one. Beside it, in the same
 * run and in turn, the raw uWebSockets.js floor (`floor/uws-longpoll.ts`) does the same cycle with the same requests
 * and answers. So does nginx with nchan (`bench/harness/nchan.ts`), where it is installed, with the same bodies.
 *
 * Then the same with a stream of each queue in place of its poll: the connection stays, and each event is written to
 * it. Beside it the floor writes the same to as many.
 *
 * Unit: µs of CPU of the server's process per delivered event. It holds all that the cycle costs the server. That is
 * taking the message in and committing it, writing N answers, reading N new polls and parking them.
 */
import { type Community, channelMessages, registerQueues, startCommunity } from "./harness/community.ts";
import { Floor } from "./harness/floors.ts";
import { alternate, cost, loadBusyPercent, over, repeat } from "./harness/measure.ts";
import { Nchan } from "./harness/nchan.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import { type Bench, type Row, round } from "./harness/report.ts";
import type { Setup } from "./harness/setup.ts";
import { percentiles } from "./harness/statistics.ts";
import { LoadProcess } from "./load/fleet.ts";
import type { Queue } from "./load/poll-set.ts";
import { post } from "./load/request.ts";
import type { Rounds } from "./load/rounds.ts";

const audiences = [100, 1_000, 5_000, 15_000];
const quickAudiences = [20, 100];
/** Deliveries of one run: about a second of the server's CPU. */
const deliveriesPerRun = 60_000;
const quickDeliveriesPerRun = 2_000;
const leastRounds = 8;

/** At most 1.15 × the floor, no more than nchan, and flat within 20 % from 100 to 15,000. */
const mostOfFloor = 1.15;
/** A stream: at most 1.3 × the floor's, and 0.6 × Parley's own poll. */
const mostOfStreamFloor = 1.3;
const mostOfPoll = 0.6;
/** Where there are few, what a message costs that is sent outweighs what it costs that it arrives. */
const isOfMany = (row: Row): boolean => Number(row["polls"]) >= 1_000;
const mostOfPeer = 1;
const mostGrowth = 1.2;

export const fanOut: Bench = {
  name: "fan-out",
  question: "What does delivering one event to one of N parked polls cost, beside raw uWebSockets.js doing the same?",
  async run(setup) {
    const sizes = setup.quick ? quickAudiences : audiences;
    const database = await BenchPostgres.start(setup);
    const community = await startCommunity(setup, database, {
      users: sizes.at(-1)!,
      channels: sizes.map((subscribers) => ({ name: `fan-out-${subscribers}`, subscribers })),
    });
    const floor = await Floor.start(setup, "uws-longpoll");
    const nchan = await Nchan.start(setup);
    const loads = {
      parley: new LoadProcess(setup, "parley"),
      floor: new LoadProcess(setup, "floor"),
      nchan: new LoadProcess(setup, "nchan"),
    };
    setup.log(`registering ${sizes.at(-1)} queues`);
    let queues = await registerQueues(community.parley, loads.parley, community.members);

    setup.log("warming up");
    // The smallest audience comes first: it must not pay for the compilation of everything.
    const warm = await measure(setup, community, database, { floor, nchan }, loads, queues.slice(0, sizes[1]));
    queues = [...warm.polled, ...queues.slice(sizes[1])];

    const rows: Row[] = [];
    for (const size of sizes) {
      setup.log(`${size} parked polls`);
      const { row, polled } = await measure(setup, community, database, { floor, nchan }, loads, queues.slice(0, size));
      rows.push(row);
      queues = [...polled, ...queues.slice(size)];
    }

    const figure = (key: string): number[] => rows.map((row) => Number(row[key]));
    return {
      columns: [
        { key: "polls", label: "N", digits: 0 },
        { key: "parleyMicroseconds", label: "Parley µs/event", digits: 2 },
        { key: "parleySpreadPercent", label: "± %", digits: 0 },
        { key: "floorMicroseconds", label: "floor µs/event", digits: 2 },
        { key: "floorSpreadPercent", label: "± %", digits: 0 },
        { key: "ratio", label: "ratio", digits: 2 },
        { key: "streamMicroseconds", label: "stream µs/event", digits: 2 },
        { key: "streamFloorMicroseconds", label: "floor's stream µs/event", digits: 2 },
        { key: "streamRatio", label: "ratio", digits: 2 },
        { key: "streamP99Ms", label: "stream p99 ms", digits: 1 },
        { key: "nchanMicroseconds", label: "nchan µs/event", digits: 2 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs/event", digits: 2 },
        { key: "p50Ms", label: "p50 ms", digits: 1 },
        { key: "p99Ms", label: "p99 ms", digits: 1 },
        { key: "floorP99Ms", label: "floor p99 ms", digits: 1 },
        { key: "eventsPerSecond", label: "events/s", digits: 0 },
        { key: "loadBusyPercent", label: "load busy %", digits: 0 },
      ],
      rows,
      bounds: [
        ...rows.map((row) => ({
          what: `CPU per delivered event at N = ${row["polls"]}, Parley / floor`,
          value: Number(row["ratio"]),
          limit: mostOfFloor,
          sense: "most" as const,
          kind: "portable" as const,
        })),
        ...rows.filter(isOfMany).flatMap((row) => [
          {
            what: `CPU per event on a stream at N = ${row["polls"]}, Parley / floor`,
            value: Number(row["streamRatio"]),
            limit: mostOfStreamFloor,
            sense: "most" as const,
            kind: "portable" as const,
          },
          {
            what: `CPU per event at N = ${row["polls"]}, stream / poll`,
            value: Number(row["streamMicroseconds"]) / Number(row["parleyMicroseconds"]),
            limit: mostOfPoll,
            sense: "most" as const,
            kind: "portable" as const,
          },
        ]),
        ...rows
          .filter((row) => row["nchanMicroseconds"] !== undefined)
          .map((row) => ({
            what: `CPU per delivered event at N = ${row["polls"]}, Parley / nchan`,
            value: Number(row["parleyMicroseconds"]) / Number(row["nchanMicroseconds"]),
            limit: mostOfPeer,
            sense: "most" as const,
            kind: "portable" as const,
          })),
        {
          what: "CPU per delivered event in multiples of the floor's, dearest N / cheapest N",
          value: growth(figure("ratio")),
          limit: mostGrowth,
          sense: "most",
          kind: "portable",
        },
        {
          what: `CPU per delivered event, dearest N / cheapest N (the floor's own: ${round(growth(figure("floorMicroseconds")))})`,
          value: growth(figure("parleyMicroseconds")),
          limit: mostGrowth,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [
        {
          file: "fan-out",
          title: "CPU per delivered event",
          xLabel: "parked polls",
          yLabel: "µs of server CPU",
          series: [
            {
              name: "Parley",
              points: rows.map((row) => [Number(row["polls"]), Number(row["parleyMicroseconds"])] as const),
            },
            {
              name: "raw uWebSockets.js",
              points: rows.map((row) => [Number(row["polls"]), Number(row["floorMicroseconds"])] as const),
            },
          ],
        },
      ],
      notes: [
        `Parley runs ${community.parley.build}, the floor ${floor.build}, both with the same Node flags.`,
        nchan === undefined
          ? "nginx with nchan is not installed here, so there is no peer beside it."
          : "nchan runs in one worker, with its messages in memory and its own headers around the same body.",
        "Each person has one queue, for message events with rendered Markdown, and one connection. Times run from writing the message to reading its event.",
        "“load busy” is the load generator's own CPU beside the wall time of Parley's runs; near 100 % the events/s are its limit, not the server's. CPU per event does not depend on it.",
      ],
    };
  },
};

function growth(costs: readonly number[]): number {
  return Math.max(...costs) / Math.min(...costs);
}

async function measure(
  setup: Setup,
  community: Community,
  database: BenchPostgres,
  { floor, nchan }: { floor: Floor; nchan: Nchan | undefined },
  loads: Readonly<Record<"parley" | "floor" | "nchan", LoadProcess>>,
  queues: readonly Queue[],
): Promise<{ row: Row; polled: Queue[] }> {
  const { parley } = community;
  const size = queues.length;
  const channelId = community.channelIds.get(`fan-out-${size}`)!;
  const deliveries = setup.quick ? quickDeliveriesPerRun : deliveriesPerRun;
  const load: Rounds = {
    messages: channelMessages(parley.owner, channelId),
    rounds: Math.max(leastRounds, Math.ceil(deliveries / size)),
    messagesPerRound: 1,
    isCollecting: false,
    audience: size,
    timeoutMs: 120_000,
  };

  await loads.parley.park(parley.port, queues);
  await loads.parley.rounds({ ...load, rounds: 1 });
  const template = { ...(await loads.parley.sample()), groups: 1, hasStamps: false };
  const lastEventId = await floor.imitate(template);
  await loads.floor.park(
    floor.port,
    queues.map((queue) => ({ ...queue, lastEventId })),
  );

  const [parleyRuns, floorRuns] = await alternate(
    () => cost(parley, loads.parley, database, () => loads.parley.rounds(load)),
    () => cost(floor, loads.floor, undefined, () => loads.floor.rounds(load)),
  );
  const beforeStreams = await loads.parley.unpark();
  await loads.floor.unpark();
  const { figures: streamFigures, queues: polled } = await measureStreams(
    setup,
    { parley, floor },
    database,
    loads,
    load,
    beforeStreams,
  );
  const peer = nchan && (await measureNchan(nchan, loads.nchan, load, template.body, queues));

  const perEvent = over(parleyRuns, (run) => run.serverMicroseconds / run.result.delivered);
  const floorPerEvent = over(floorRuns, (run) => run.serverMicroseconds / run.result.delivered);
  const latency = percentiles(parleyRuns.flatMap((run) => run.result.latenciesMs));
  const floorLatency = percentiles(floorRuns.flatMap((run) => run.result.latenciesMs));
  return {
    polled,
    row: {
      polls: size,
      parleyMicroseconds: perEvent.median,
      parleySpreadPercent: perEvent.spreadPercent,
      floorMicroseconds: floorPerEvent.median,
      floorSpreadPercent: floorPerEvent.spreadPercent,
      ratio: perEvent.median / floorPerEvent.median,
      ...streamFigures,
      ...(peer && { nchanMicroseconds: peer.median, nchanSpreadPercent: peer.spreadPercent }),
      postgresMicroseconds: over(parleyRuns, (run) => run.postgresMicroseconds / run.result.delivered).median,
      p50Ms: latency.p50,
      p99Ms: latency.p99,
      floorP50Ms: floorLatency.p50,
      floorP99Ms: floorLatency.p99,
      eventsPerSecond: over(parleyRuns, (run) => (1000 * run.result.delivered) / run.result.wallMs).median,
      loadBusyPercent: over(parleyRuns, loadBusyPercent).median,
      answerBytes: template.head.length + Buffer.byteLength(template.body),
    },
  };
}

/** The same rounds on streams, Parley's and the floor's in turn. */
async function measureStreams(
  setup: Setup,
  { parley, floor }: { parley: Community["parley"]; floor: Floor },
  database: BenchPostgres,
  loads: Readonly<Record<"parley" | "floor", LoadProcess>>,
  load: Rounds,
  queues: readonly Queue[],
): Promise<{ figures: Row; queues: Queue[] }> {
  setup.log(`${queues.length} streams`);
  await loads.parley.park(parley.port, queues, "stream");
  await loads.parley.rounds({ ...load, rounds: 1 });
  const lastEventId = await floor.imitate({ ...(await loads.parley.sample()), groups: 1, hasStamps: false });
  await loads.floor.park(
    floor.port,
    queues.map((queue) => ({ ...queue, lastEventId })),
    "stream",
  );
  const [parleyRuns, floorRuns] = await alternate(
    () => cost(parley, loads.parley, database, () => loads.parley.rounds(load)),
    () => cost(floor, loads.floor, undefined, () => loads.floor.rounds(load)),
  );
  await loads.floor.unpark();
  const perEvent = over(parleyRuns, (run) => run.serverMicroseconds / run.result.delivered);
  const floorPerEvent = over(floorRuns, (run) => run.serverMicroseconds / run.result.delivered);
  return {
    figures: {
      streamMicroseconds: perEvent.median,
      streamSpreadPercent: perEvent.spreadPercent,
      streamFloorMicroseconds: floorPerEvent.median,
      streamRatio: perEvent.median / floorPerEvent.median,
      streamP99Ms: percentiles(parleyRuns.flatMap((run) => run.result.latenciesMs)).p99,
      streamFloorP99Ms: percentiles(floorRuns.flatMap((run) => run.result.latenciesMs)).p99,
    },
    queues: await loads.parley.unpark(),
  };
}

async function measureNchan(
  nchan: Nchan,
  load: LoadProcess,
  rounds: Rounds,
  body: string,
  queues: readonly Queue[],
): Promise<{ median: number; spreadPercent: number }> {
  await load.park(nchan.port, queues, "nchan");
  const publish: Rounds = { ...rounds, messages: [post("/publish", "application/json", body)] };
  const runs = await repeat(() => cost(nchan, load, undefined, () => load.rounds(publish)));
  await load.unpark();
  return over(runs, (run) => run.serverMicroseconds / run.result.delivered);
}
