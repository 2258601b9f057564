/**
 * What do the builds of the HTTP server cost, and what does each not take?
 *
 * Setup: as in `fan-out`, with 100 and 1,000 parked polls, for each build and each program of Node that is told by
 * `--node`. Such a program may be a script that enters another system with another C library: `exec chroot ROOT node
 * "$@"`. The folders of Parley and of temporary files must be the same there. Then the build is asked for all that
 * `builds/demands.ts` demands.
 *
 * Unit: µs of CPU of the server's process per delivered event.
 */
import { unmetDemands } from "./builds/demands.ts";
import { channelMessages, type Member, registerQueues, startCommunity } from "./harness/community.ts";
import { cost, measuredRuns } from "./harness/measure.ts";
import { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import type { Setup } from "./harness/setup.ts";
import { median, spread } from "./harness/statistics.ts";
import { LoadProcess } from "./load/fleet.ts";
import type { Queue } from "./load/poll-set.ts";

const audiences = [100, 1_000];
const quickAudiences = [20, 100];
const deliveriesPerRun = 30_000;
const quickDeliveriesPerRun = 2_000;
const flavours = ["native", "javascript"];
/** Our own build may cost so much of the native build that costs least. */
const mostOfNative = 2;

export const builds: Bench = {
  name: "builds",
  question: "What does a delivery cost over each build of the HTTP server, and what does that build not take?",
  async run(setup) {
    const sizes = setup.quick ? quickAudiences : audiences;
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: sizes.at(-1)!,
      channels: sizes.map((subscribers) => ({ name: `builds-${subscribers}`, subscribers })),
    });
    await parley.end();
    const copies = [await database.copy(setup, "builds-0"), await database.copy(setup, "builds-1")];
    const rows: Row[] = [];
    const ratios = new Map<number, number[]>(sizes.map((size) => [size, []]));
    for (const node of setup.nodes.length > 0 ? setup.nodes : [process.execPath]) {
      setup.log(node);
      const served: Served[] = [];
      for (const [index, flavour] of flavours.entries()) {
        const server = await startOn(setup, copies[index]!, flavour, node);
        if (server) served.push(await prepare(setup, server, members));
      }
      const figures = await measure(setup, served, [...channelIds.values()], sizes);
      for (const [index, { parley, load }] of served.entries()) {
        rows.push({
          build: parley.build.replace(/ \(.*/, ""),
          system: await parley.system(),
          ...figures[index]!,
          ...(await unmetAt(parley)),
        });
        await load.end();
        await parley.end();
      }
      if (figures.length === 2)
        for (const size of sizes) ratios.get(size)!.push(figures[1]![`at${size}`]! / figures[0]![`at${size}`]!);
    }
    return {
      columns: [
        { key: "build", label: "build" },
        { key: "system", label: "Node, C library" },
        ...sizes.flatMap((size) => [
          { key: `at${size}`, label: `µs/event, ${size.toLocaleString("en-US")} polls`, digits: 1 },
          { key: `spread${size}`, label: "± %", digits: 0 },
        ]),
        { key: "unmet", label: "does not take" },
      ],
      rows,
      bounds: sizes
        .filter((size) => ratios.get(size)!.length > 0)
        .map((size) => ({
          what: `CPU per delivered event at N = ${size}, our own build / the native one on the same Node, largest`,
          value: Math.max(...ratios.get(size)!),
          limit: mostOfNative,
          sense: "most" as const,
          kind: "portable" as const,
        })),
      plots: [],
      notes: [
        "PARLEY_HTTP_BUILD=auto takes the build that costs least of those that take all.",
        "A row whose C library is another than the first one's is of a system in a folder, which a script enters by chroot.",
      ],
    };
  },
};

/** Undefined where no such build loads. */
async function startOn(
  setup: Setup,
  database: BenchPostgres,
  flavour: string,
  node: string,
): Promise<Parley | undefined> {
  try {
    return await Parley.start(setup, database, undefined, { PARLEY_HTTP_BUILD: flavour }, node);
  } catch (error) {
    if (!/No native build/.test((error as Error).message)) throw error;
    setup.log("no native build loads there");
    return undefined;
  }
}

interface Served {
  parley: Parley;
  load: LoadProcess;
  queues: Queue[];
}

async function prepare(setup: Setup, parley: Parley, members: readonly Member[]): Promise<Served> {
  const load = new LoadProcess(setup, `builds-${parley.port}`);
  return { parley, load, queues: await registerQueues(parley, load, members) };
}

/** µs per event of each, by size. They are measured in turn, so that a machine that slows down does so for all. */
async function measure(
  setup: Setup,
  served: readonly Served[],
  channelIds: readonly number[],
  sizes: readonly number[],
): Promise<Record<string, number>[]> {
  const figures: Record<string, number>[] = served.map(() => ({}));
  const deliveries = setup.quick ? quickDeliveriesPerRun : deliveriesPerRun;
  // The largest audience warms up. The smallest comes then: it must not pay for the compilation of everything.
  for (const [index, size] of [sizes.at(-1)!, ...sizes].entries()) {
    const costs: number[][] = served.map(() => []);
    for (const { load, parley, queues } of served) await load.park(parley.port, queues.slice(0, size));
    for (let run = 0; run <= measuredRuns; run++) {
      for (const [at, { load, parley }] of served.entries()) {
        const rounds = {
          messages: channelMessages(parley.owner, channelIds[sizes.indexOf(size)]!),
          rounds: Math.ceil(deliveries / size / (index === 0 || run === 0 ? 4 : 1)),
          messagesPerRound: 1,
          isCollecting: false,
          audience: size,
          timeoutMs: 120_000,
        };
        const { serverMicroseconds, result } = await cost(parley, load, undefined, () => load.rounds(rounds));
        if (run > 0) costs[at]!.push(serverMicroseconds / result.delivered);
      }
    }
    for (const [at, each] of served.entries()) {
      figures[at]![`at${size}`] = median(costs[at]!);
      figures[at]![`spread${size}`] = 100 * spread(costs[at]!);
      each.queues = [...(await each.load.unpark()), ...each.queues.slice(size)];
    }
  }
  return figures;
}

async function unmetAt(parley: Parley): Promise<{ unmet: string }> {
  const unmet = await unmetDemands(parley.port);
  return { unmet: unmet.size === 0 ? "–: takes all" : [...unmet.keys()].join("; ") };
}
