/** A synchronous standby that is gone for a while: nothing can be stored, and everybody is told so all the while. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { startRedis, type TestRedis } from "../../support/server/redis.ts";
import { type PairServer, startPairServer } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";

let redis: TestRedis;
let pair: PairServer;
beforeAll(async () => {
  redis = await startRedis();
  const environment = { PARLEY_COMMAND_DEADLINE_MS: "8000", PARLEY_WORKERS: "2", REDIS_URL: redis.url };
  pair = await startPairServer(environment, async ({ primary }) => {
    // How a standby calls itself that was told nothing else.
    await primary.ask("alter system set synchronous_standby_names = 'walreceiver'");
    await primary.ask("select pg_reload_conf()");
  });
}, 240_000);
afterAll(async () => {
  await pair?.stop();
  await redis?.stop();
});

/** Sends refused from then on: seven rounds of three senders, which hold sessions in turn. */
const enough = 21;

const send = (content: string) =>
  pair.owner.post("/messages", { type: "channel", to: "general", topic: "kept", content });
const contents = async () => {
  const narrow = [["topic", "kept"]];
  const request = { narrow, anchor: "newest", num_before: 500, num_after: 0, apply_markdown: false };
  const { messages } = expectSuccess(await pair.owner.get("/messages", request));
  return (messages as { content: string }[]).map(({ content }) => content);
};
const health = async () => (await fetch(`${pair.server.url}/health`)).status;
const waiting = async () => {
  const [row] = await pair.primary.ask<{ count: string }>(
    "select count(*) from pg_stat_activity where wait_event = 'SyncRep'",
  );
  return Number(row!.count);
};
const replicateFrom = async (conninfo: string) => {
  await pair.standby.ask(`alter system set primary_conninfo = '${conninfo}'`);
  await pair.standby.ask("select pg_reload_conf()");
};

it("is one state for /health, and holds few sessions", async () => {
  const [conninfo] = await pair.standby.ask<{ primary_conninfo: string }>("show primary_conninfo");
  expectSuccess(await send("before"));
  await replicateFrom("");
  await until("the standby to hear nothing more", async () => {
    const [row] = await pair.primary.ask<{ count: string }>("select count(*) from pg_stat_replication");
    return row!.count === "0";
  });
  const statuses: number[] = [];
  let most = 0;
  let isOver = false;
  const senders = [0, 1, 2].map(async () => {
    while (!isOver) statuses.push((await send("meanwhile")).status);
  });
  try {
    // Each of the two workers sees it for itself, within a second or two. Sixteen connections reach both.
    await until("/health to tell, on each worker", async () => {
      const answers = await Promise.all(Array.from({ length: 16 }, health));
      return answers.every((status) => status === 503);
    });
    const goal = statuses.length + enough;
    while (statuses.length < goal) {
      most = Math.max(most, await waiting());
    }
  } finally {
    isOver = true;
    await Promise.all(senders);
  }
  expect(new Set(statuses)).toEqual(new Set([503]));
  // The primary has it, and would show it if somebody ended the wait. A promotion would take it back.
  expect(await contents()).toEqual(["before"]);
  expect(most).toBeLessThan(10);
  await replicateFrom(conninfo!.primary_conninfo);
  await until("changes to be taken", async () => (await send("after")).status === 200);
  await until("/health to be well", async () => (await health()) === 200);
}, 300_000);
