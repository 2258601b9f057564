/** A standby that lacks the newest commits is promoted: what was lost is not shown, and no id is given out again. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { type PairServer, startPairServer } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";

let pair: PairServer;
beforeAll(async () => {
  pair = await startPairServer();
}, 240_000);
afterAll(() => pair?.stop());

const send = (content: string) =>
  pair.owner.post("/messages", { type: "channel", to: "general", topic: "behind", content });
const register = async () => expectSuccess(await pair.owner.post("/register", { event_types: ["message"] }));
const contents = async () => {
  const answer = await pair.owner.get("/messages", {
    narrow: [["topic", "behind"]],
    anchor: "newest",
    num_before: 500,
    num_after: 0,
    apply_markdown: false,
  });
  return (expectSuccess(answer)["messages"] as { content: string }[]).map(({ content }) => content);
};

it("after a standby that is behind was promoted its nodes show what it has, and go on above what was lost", async () => {
  expectSuccess(await send("kept"));
  await pair.inStep();
  const { queue_id, last_event_id: keptAt } = await register();
  const queue = { queue_id, last_event_id: keptAt };
  await pair.standby.ask("alter system set primary_conninfo = ''");
  await pair.standby.ask("select pg_reload_conf()");
  await until("the standby to hear nothing more", async () => {
    const [row] = await pair.primary.ask<{ count: string }>("select count(*) from pg_stat_replication");
    return row!.count === "0";
  });
  const lost: number[] = [];
  // More than a block of ids, so that another was taken of which the standby does not know.
  for (let count = 0; count < 40; count++) lost.push(expectSuccess(await send(`lost ${count}`))["id"] as number);
  expect(await contents()).toContain("lost 0");
  const { last_event_id: lostAt } = await register();
  expect(lostAt).toBeGreaterThan(keptAt as number);
  const { events } = expectSuccess(await pair.owner.get("/events", { ...queue, dont_block: true }));
  const seen = { ...queue, last_event_id: (events as { id: number }[]).at(-1)!.id };

  pair.primary.wire.cut();
  await pair.promote();
  let now: string[] = [];
  await until("what was lost to be gone from sight", async () => {
    now = await contents().catch(() => ["lost"]);
    return !now.some((content) => content.startsWith("lost"));
  });
  expect(now).toContain("kept");
  let next = 0;
  // While nodes go over to the new primary, one may be told to come again.
  await until("a message to be stored", async () => {
    const { status, body } = await send("after");
    if (status === 200) next = body["id"] as number;
    return status === 200;
  });
  expect(next).toBeGreaterThan(Math.max(...lost) + 50_000);
  const gone = await pair.owner.get("/events", { ...seen, dont_block: true });
  expect([gone.status, gone.body["code"]]).toEqual([400, "BAD_EVENT_QUEUE_ID"]);
  const { last_event_id: goneOnAt } = await register();
  expect(goneOnAt).toBeGreaterThan((lostAt as number) + 500_000);
  expect(pair.server.output()).toContain("every organization is checked against it");
}, 300_000);
