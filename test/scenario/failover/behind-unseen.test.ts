/**
 * A standby that lacks the newest commits is promoted while no server runs. The one that begins then has seen nothing
 * of what was lost, and gives none of its ids out again.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertMessages } from "../../../storage/cluster/mailbox.ts";
import { connect } from "../../../storage/postgres.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { type PairServer, startPairServer } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";

let pair: PairServer;
beforeAll(async () => {
  pair = await startPairServer();
}, 240_000);
afterAll(() => pair?.stop());

const send = (content: string) =>
  pair.owner.post("/messages", { type: "channel", to: "general", topic: "unseen", content });
const register = async () => expectSuccess(await pair.owner.post("/register", { event_types: ["message"] }));

it("a server that was not there when a standby was promoted goes on above what was lost", async () => {
  expectSuccess(await send("kept"));
  const kept = await register();
  await pair.inStep();
  await pair.standby.ask("alter system set primary_conninfo = ''");
  await pair.standby.ask("select pg_reload_conf()");
  await until("the standby to hear nothing more", async () => {
    const [row] = await pair.primary.ask<{ count: string }>("select count(*) from pg_stat_replication");
    return row!.count === "0";
  });
  const lost: number[] = [];
  // More than what is left of a block of ids, so that another was taken of which the standby does not know.
  for (let count = 0; count < 40; count++) lost.push(expectSuccess(await send(`lost ${count}`))["id"] as number);
  const told = await register();
  const { queue_id } = kept;
  const poll = (last_event_id: unknown) =>
    pair.owner.get("/events", {
      queue_id: queue_id as string,
      last_event_id: last_event_id as number,
      dont_block: true,
    });
  expectSuccess(await poll(kept["last_event_id"]));

  await pair.server.kill();
  pair.primary.wire.cut();
  await pair.promote();
  const server = await pair.startAgain();
  try {
    // Its client knows of events that are lost.
    await until(
      "the queue to end",
      async () => (await poll(told["last_event_id"])).body["code"] === "BAD_EVENT_QUEUE_ID",
    );
    const { id: next } = expectSuccess(await send("after"));
    expect(next).toBeGreaterThan(Math.max(...lost) + 50_000);
    const { last_event_id } = await register();
    expect(last_event_id).toBeGreaterThan((told["last_event_id"] as number) + 500_000);
    // Nodes reach each other by the new primary.
    const database = connect(pair.url, { maxConnections: 1 });
    await insertMessages(database.sql, [{ recipient: "a node", sealed: Buffer.from("sealed") }]);
    await database.close();
    expect(server.output()).toContain("PostgreSQL may lack the newest changes; queues end");
  } finally {
    await server.stop();
  }
}, 300_000);
