/**
 * What do the builds of the HTTP server cost, and what does each not take?
 *
 * Setup: as in `fan-out`, with 100 and 1,000 parked polls, for each build and each program of Node that is told by
 * `--node`. Such a program may be a script that enters another system with another C library, `exec chroot ROOT node
 * "$@"`, where the folders of Parley and of temporary files are the same. Then the build is asked for all that
 * `builds/demands.ts` demands.
 *
 * Unit: µs of CPU of the server's process per delivered event.
 */
import { unmetDemands } from "./builds/demands.ts";
import { channelMessages, type Member, registerQueues, startCommunity } from "./harness/community.ts";
import { cost, over, repeat } from "./harness/measure.ts";
import { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import type { Setup } from "./harness/setup.ts";
import { LoadProcess } from "./load/fleet.ts";

const audiences = [100, 1_000];
const quickAudiences = [20, 100];
const deliveriesPerRun = 60_000;
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
    const rows: Row[] = [];
    for (const node of setup.nodes.length > 0 ? setup.nodes : [process.execPath]) {
      for (const flavour of flavours) {
        setup.log(`${flavour}, ${node}`);
        const server = await startOn(setup, database, flavour, node);
        if (server === undefined) continue;
        rows.push({
          flavour,
          ...(await measure(setup, database, server, members, [...channelIds.values()], sizes)),
        });
        await server.end();
      }
    }
    const least = (isNative: boolean, size: number): number =>
      Math.min(
        ...rows.filter((row) => (row["flavour"] === "native") === isNative).map((row) => Number(row[`at${size}`])),
      );
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
      bounds: rows.some((row) => row["flavour"] === "native")
        ? sizes.map((size) => ({
            what: `CPU per delivered event at N = ${size}, our own build / the native one that costs least`,
            value: least(false, size) / least(true, size),
            limit: mostOfNative,
            sense: "most" as const,
            kind: "portable" as const,
          }))
        : [],
      plots: [],
      notes: ["PARLEY_HTTP_BUILD=auto takes the build that costs least of those that take all."],
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

async function measure(
  setup: Setup,
  database: BenchPostgres,
  parley: Parley,
  members: readonly Member[],
  channelIds: readonly number[],
  sizes: readonly number[],
): Promise<Row> {
  const load = new LoadProcess(setup, "builds");
  const figures: Record<string, number> = {};
  let queues = await registerQueues(parley, load, members);
  const deliveries = setup.quick ? quickDeliveriesPerRun : deliveriesPerRun;
  // The smallest audience comes first: it must not pay for the compilation of everything.
  for (const [index, size] of [sizes.at(-1)!, ...sizes].entries()) {
    const polled = queues.slice(0, size);
    await load.park(parley.port, polled);
    const rounds = {
      messages: channelMessages(parley.owner, channelIds[sizes.indexOf(size)]!),
      rounds: Math.ceil(deliveries / size / (index === 0 ? 4 : 1)),
      messagesPerRound: 1,
      isCollecting: false,
      audience: size,
      timeoutMs: 120_000,
    };
    const runs = await repeat(() => cost(parley, load, database, () => load.rounds(rounds)));
    const { median, spreadPercent } = over(runs, (run) => run.serverMicroseconds / run.result.delivered);
    figures[`at${size}`] = median;
    figures[`spread${size}`] = spreadPercent;
    queues = [...(await load.unpark()), ...queues.slice(size)];
  }
  const unmet = await unmetDemands(parley.port);
  return {
    build: parley.build.replace(/ \(.*/, ""),
    system: await parley.system(),
    ...figures,
    unmet: unmet.size === 0 ? "–: takes all" : [...unmet.keys()].join("; "),
  };
}
