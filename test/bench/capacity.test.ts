import { expect, test } from "vitest";
import { type Assumptions, type Costs, capacity } from "../../bench/harness/capacity.ts";

/** 1,000 sends/s to 100 each, half a core's time to be used. */
const assumed: Assumptions = { online: 60_000, perMinute: 1, audience: 100, coresPerMachine: 4, utilisation: 0.5 };
const costs: Costs = {
  perDelivery: 20,
  perEventOfFollower: 100,
  perSendTaken: 150,
  perSendWritten: 250,
  postgresPerSend: 80,
  redisPerSend: [
    { processes: 2, microseconds: 20 },
    { processes: 4, microseconds: 40 },
  ],
};

test("every process follows the log, and what is left of them carries the rest", () => {
  // 1,000 × (100 × 20 + 150 + 250) µs = 2.4 s a second, on processes that have 0.5 − 0.1 s each.
  expect(capacity(costs, assumed)).toMatchObject({
    sendsPerSecond: 1_000,
    deliveriesPerSecond: 100_000,
    processes: 6,
    machines: 2,
  });
});

test("the parts are in the order in which they are used up", () => {
  const { limits } = capacity(costs, assumed)!;
  expect(limits.map(({ part, online }) => [part, Math.round(online)])).toEqual([
    ["the 6 processes' deliveries", 60_000],
    ["the writer (one core)", 120_000],
    ["a follower's fixed cost (one core each)", 300_000],
    // 60 µs a send: 10 for each process.
    ["Redis (one core)", 500_000],
    ["PostgreSQL (4 cores)", 1_500_000],
  ]);
});

test("a load whose events alone fill a follower is carried by no number of processes", () => {
  expect(capacity({ ...costs, perEventOfFollower: 500 }, assumed)).toBeUndefined();
});
