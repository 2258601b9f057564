/** A server that may acknowledge nothing that no standby has. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { type Pair, type PairServer, startPairServer } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";

const set = async ({ primary }: Pair, change: string) => {
  await primary.ask(`alter system ${change}`);
  await primary.ask("select pg_reload_conf()");
};
// How a standby calls itself that was told nothing else.
const name = "set synchronous_standby_names = 'walreceiver'";

const adminToken = "0123456789abcdef0123456789abcdef";
let pair: PairServer;
beforeAll(async () => {
  pair = await startPairServer({ PARLEY_DATABASE_SYNCHRONOUS: "required", PARLEY_ADMIN_TOKEN: adminToken }, (both) =>
    set(both, name),
  );
}, 240_000);
afterAll(() => pair?.stop());

const send = () => pair.owner.post("/messages", { type: "channel", to: "general", topic: "kept", content: "twice" });

it("changes are refused while no standby is synchronous, and taken while one is", async () => {
  const refused = async (why: string) => {
    const answer = await send();
    return answer.status === 503 && String(answer.body["msg"]).includes(why);
  };
  const names = "Nothing was done: PostgreSQL names no synchronous standby (synchronous_standby_names)";
  expectSuccess(await send());
  await set(pair, "reset synchronous_standby_names");
  await until("changes to be refused", () => refused(names));
  expectSuccess(await pair.owner.get("/messages", { anchor: "newest", num_before: 1, num_after: 0 }));
  const health = await fetch(`${pair.server.url}/health`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  expect([health.status, await health.text()]).toEqual([503, expect.stringContaining("no synchronous standby")]);
  await set(pair, name);
  await until("changes to be taken", async () => (await send()).status === 200);
  await until("/health to be well", async () => (await fetch(`${pair.server.url}/health`)).ok);
  await set(pair, "set synchronous_commit = 'local'");
  await until("a commit that waits for nobody to be refused", () => refused("synchronous_commit = local"));
  await set(pair, "reset synchronous_commit");
  await until("changes to be taken again", async () => (await send()).status === 200);
}, 300_000);
