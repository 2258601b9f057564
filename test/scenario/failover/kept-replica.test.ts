/** A standby that lacks nothing is promoted: nodes go on with what they know, and polls that are parked stay so. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { type PairServer, startPairServer } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";

let pair: PairServer;
beforeAll(async () => {
  pair = await startPairServer({ PARLEY_LOG_LEVEL: "info" });
}, 240_000);
afterAll(() => pair?.stop());

const send = (content: string) =>
  pair.owner.post("/messages", { type: "channel", to: "general", topic: "kept", content });

it("after a standby in step was promoted nothing is loaded anew, and a parked poll hears of the next message", async () => {
  const { id } = expectSuccess(await send("before"));
  const queue = expectSuccess(await pair.owner.post("/register", { event_types: ["message"] }));
  const { queue_id, last_event_id } = queue as { queue_id: string; last_event_id: number };
  await pair.inStep();
  const parked = pair.owner.get("/events", { queue_id, last_event_id });

  pair.primary.wire.cut();
  await pair.promote();
  let sent: Awaited<ReturnType<typeof send>> | undefined;
  await until("a message to be stored", async () => {
    sent = await send("after");
    return sent.status === 200;
  });
  const { events } = expectSuccess(await parked);
  expect((events as { message?: { content: string } }[]).map(({ message }) => message?.content)).toEqual(["after"]);
  const linesOfLoads = () =>
    pair.server
      .output()
      .split("\n")
      .filter((line) => line.includes('"realm loaded"'));
  await until("the log to tell of it", () => linesOfLoads().length > 1);
  const [first, ...others] = linesOfLoads().map((line) => (JSON.parse(line) as { isKept: boolean }).isKept);
  expect([first, [...new Set(others)]]).toEqual([false, [true]]);
  expect(pair.server.output()).not.toContain("may lack the newest changes");
  expect(expectSuccess(sent!)["id"]).toBeGreaterThan(id as number);
}, 300_000);
