/**
 * For how long is no send acknowledged when another PostgreSQL becomes the primary, and what is lost?
 *
 * Setup: two Parley processes with one Redis, over a primary and its synchronous standby. A message is sent to each
 * process every 25 ms, whatever becomes of those before it, and three clients poll each. In each round
 *
 * - the primary is killed (`kill -9`) and the standby promoted;
 * - the one that was killed comes back under its address, as a primary, and lacks what was stored since;
 * - every connection to the right one is closed meanwhile;
 * - in good order the primary is stopped, the standby promoted, and the old primary follows it.
 *
 * Unit: ms. After a promotion it is from the first commit that came straight to the new primary until a send is
 * acknowledged, of the later node. Beside it is the longest time without an acknowledged send, of the worse node, from
 * the fault on.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Parley } from "../harness/parley.ts";
import { BenchRedis } from "../harness/redis.ts";
import type { Bench, Bound, Row } from "../harness/report.ts";
import type { Setup } from "../harness/setup.ts";
import { median } from "../harness/statistics.ts";
import { longestGap } from "./gaps.ts";
import { type Faults, Round } from "./honesty.ts";
import { Pair } from "./pair.ts";

const nodeCount = 2;
const rounds = 10;
/** How long a fault is watched, and how long there was none before it. */
const watchMs = 3_000;
const calmMs = 3_000;
const settlingMs = 60_000;
const mostAfterPromotionMs = 1_000;

interface Measured {
  calm: number[];
  silence: number[];
  afterPromotion: number[];
}

type Fault =
  | "the primary is killed and its standby promoted"
  | "a replaced primary is back"
  | "connections to the primary are lost beside a replaced one"
  | "the primary is switched over in good order";

export const outagePrimary: Bench = {
  name: "outage-primary",
  question: "For how long is no send acknowledged when another PostgreSQL becomes the primary, and what is lost?",
  async run(setup) {
    const pair = await Pair.start(setup);
    const redis = await BenchRedis.start(setup);
    const nodes: Parley[] = [];
    while (nodes.length < nodeCount) nodes.push(await Parley.start(setup, pair, redis.url));
    const measured = new Map<Fault, Measured>();
    const faults: Faults = { lost: 0, twice: 0, idsTwice: 0, misheard: 0, queuesEnded: 0 };
    let acknowledged = 0;
    for (let number = 1; number <= (setup.quick ? 1 : rounds); number++) {
      const round = await Round.begin(nodes, `round ${number}`);
      await disturb(pair, disturbing(setup, round, measured));
      const found = await round.end();
      setup.log(`round ${number}: ${round.acknowledged} acknowledged, ${JSON.stringify(found)}`);
      for (const name of Object.keys(faults) as (keyof Faults)[]) faults[name] += found[name];
      acknowledged += round.acknowledged;
    }
    return {
      columns: [
        { key: "fault", label: "fault" },
        { key: "times", label: "times", digits: 0 },
        { key: "calmMs", label: "median ms before", digits: 0 },
        { key: "medianMs", label: "median ms", digits: 0 },
        { key: "longestMs", label: "longest ms", digits: 0 },
        { key: "afterMs", label: "median ms after the promotion", digits: 0 },
        { key: "longestAfterMs", label: "longest", digits: 0 },
      ],
      rows: rowsOf(measured),
      bounds: boundsOf(measured, faults),
      plots: [],
      notes: [
        `${nodeCount} processes over a primary and its synchronous standby; ${acknowledged} messages were acknowledged in all rounds. The times are those of the worse process. “Before” is the longest time without an acknowledged send in the ${calmMs / 1000} s before: what the machine itself takes.`,
        "“After the promotion” is from the first commit that came straight to the new primary until both processes have acknowledged a send. Until then it is PostgreSQL's own time, and that of whoever promotes.",
      ],
    };
  },
};

async function disturb(pair: Pair, watched: (fault: Fault, happen: () => Promise<unknown>) => Promise<void>) {
  await watched("the primary is killed and its standby promoted", async () => {
    await pair.killPrimary();
    return pair.promote();
  });
  await watched("a replaced primary is back", () => pair.startReplaced());
  await watched("connections to the primary are lost beside a replaced one", () => pair.cutConnections());
  await pair.copyToStandby();
  await watched("the primary is switched over in good order", async () => {
    await pair.stopPrimary();
    const at = await pair.promote();
    await pair.followAgain();
    return at;
  });
}

/** Has a fault happen after a calm time, and watches it. The fault returns when the new primary could be written to. */
function disturbing(setup: Setup, round: Round, measured: Map<Fault, Measured>) {
  return async (fault: Fault, happen: () => Promise<unknown>): Promise<void> => {
    await settle(round);
    const startedAt = performance.now();
    const one = measured.get(fault) ?? { calm: [], silence: [], afterPromotion: [] };
    measured.set(fault, one);
    one.calm.push(longestGap(round.acknowledgedAt, startedAt - calmMs));
    const promotedAt = await happen();
    await sleep(watchMs);
    one.silence.push(longestGap(round.acknowledgedAt, startedAt));
    if (typeof promotedAt === "number") {
      const firsts = round.acknowledgedAt.map((times) => times.find((time) => time > promotedAt) ?? performance.now());
      one.afterPromotion.push(Math.max(...firsts) - promotedAt);
    }
    setup.log(
      `${fault}: ${one.silence.at(-1)?.toFixed(0)} ms, after the promotion ${one.afterPromotion.at(-1)?.toFixed(0)}`,
    );
  };
}

/** Waits until every node has acknowledged sends for a while. */
async function settle({ acknowledgedAt }: Round): Promise<void> {
  const givenUpAt = performance.now() + settlingMs;
  let calmSince = performance.now();
  while (performance.now() - calmSince < calmMs) {
    if (performance.now() > givenUpAt) throw new Error(`the nodes did not come to rest within ${settlingMs} ms`);
    const now = performance.now();
    if (!acknowledgedAt.every((times) => now - (times.at(-1) ?? 0) < 1000)) calmSince = now;
    await sleep(50);
  }
}

function rowsOf(measured: ReadonlyMap<Fault, Measured>): Row[] {
  return [...measured].map(([fault, { calm, silence, afterPromotion }]) => ({
    fault,
    times: silence.length,
    calmMs: median(calm),
    medianMs: median(silence),
    longestMs: Math.max(...silence),
    ...(afterPromotion.length > 0 && { afterMs: median(afterPromotion), longestAfterMs: Math.max(...afterPromotion) }),
  }));
}

function boundsOf(measured: ReadonlyMap<Fault, Measured>, faults: Faults): Bound[] {
  const times = [...measured].flatMap(([fault, { afterPromotion }]): Bound[] => {
    if (afterPromotion.length === 0) return [];
    const what = `ms from the promotion to an acknowledged send of each node: ${fault} (median)`;
    return [{ what, value: median(afterPromotion), limit: mostAfterPromotionMs, sense: "most", kind: "machine" }];
  });
  const words = {
    lost: "acknowledged messages that are lost",
    twice: "messages that are there twice",
    idsTwice: "ids given out twice",
    misheard: "events of acknowledged messages missed by a poll, or told twice",
    queuesEnded: "queues that ended",
  };
  const counts = (Object.keys(words) as (keyof Faults)[]).map(
    (name): Bound => ({ what: words[name], value: faults[name], limit: 0, sense: "most", kind: "portable" }),
  );
  return [...times, ...counts];
}
