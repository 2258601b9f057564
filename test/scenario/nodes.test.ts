/**
 * Two nodes as the clients and the people who run them see them. Faults under load are in `cluster.test.ts`; the
 * contract tests run on two nodes too (see CONTRIBUTING.md).
 */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errors } from "../../actors/errors.ts";
import { eventQueues } from "../../actors/event-queue/memory.ts";
import { memoryOf } from "../../actors/realm/memory.ts";
import { readConfig } from "../../http/process/config.ts";
import { listNodes } from "../../http/process/nodes.ts";
import { ApiClient, cursorOf, expectSuccess } from "../support/client/api.ts";
import { askAsOperator } from "../support/client/as-operator.ts";
import { settledWriter } from "../support/faults/settled-writer.ts";
import { startTestServer, type TestServer } from "../support/server/server.ts";
import { until } from "../support/time/until.ts";

let server: TestServer;
let writer: number;
/** The owner on the node that writes, and on the other one. */
let [atWriter, atFollower]: ApiClient[] = [];

beforeEach(async () => {
  server = await startTestServer({ PARLEY_LOG_LEVEL: "fatal" }, 2);
  const { email, apiKey } = server.owner;
  writer = await settledWriter(server.nodes);
  const [first, second] = server.urls.map((url) => new ApiClient({ url, email, apiKey })) as [ApiClient, ApiClient];
  [atWriter, atFollower] = writer === 0 ? [first, second] : [second, first];
});
afterEach(() => server.stop(), 60_000);

const message = (content: string) => ({ type: "channel", to: "general", topic: "nodes", content });
const series = async (url: string): Promise<Map<string, number>> =>
  new Map(
    (await (await askAsOperator(`${url}/metrics`)).text())
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );

describe("two nodes", () => {
  it("a client that goes from one to the other reads what it wrote, also when Redis brings nothing", async () => {
    const rename = async (name: string) => {
      expectSuccess(await atWriter!.patch("/settings", { full_name: name }));
      expect(expectSuccess(await atFollower!.get("/users/me"))["full_name"]).toBe(name);
      const { realm_users } = await atFollower!.register({ fetch_event_types: ["realm_user"] });
      expect(realm_users!.find(({ user_id }) => user_id === server.owner.id)!.full_name).toBe(name);
    };
    for (let count = 0; count < 10; count++) await rename(`Owner ${count}`);
    await server.redis!.kill();
    for (let count = 0; count < 3; count++) await rename(`Owner without Redis ${count}`);
  });

  it("a queue goes on elsewhere after an event that the other node never saw, with each message once", async () => {
    const queue = cursorOf(await atWriter!.register({ event_types: ["typing", "message"] }));
    await server.redis!.kill();
    expectSuccess(await atWriter!.post("/typing", { type: "direct", op: "start", to: [server.owner.id] }));
    const [typing] = await atWriter!.events(queue.queueId, queue.lastEventId);
    expect(typing!.type).toBe("typing");
    queue.lastEventId = typing!.id;
    expect(await atFollower!.events(queue.queueId, queue.lastEventId, { dontBlock: true })).toEqual([]);
    const ids: unknown[] = [];
    for (const content of ["one", "two"])
      ids.push(expectSuccess(await atWriter!.post("/messages", message(content)))["id"]);
    const events = [];
    while (events.length < 2) {
      const more = await atFollower!.events(queue.queueId, queue.lastEventId);
      queue.lastEventId = more.at(-1)!.id;
      events.push(...more);
    }
    expect(events.map((event) => (event["message"] as { id: number }).id)).toEqual(ids);
  });

  it("the same send again is not sent twice, whichever node writes by then", async () => {
    const { queueId } = cursorOf(await atFollower!.register({ event_types: ["message"] }));
    const sent = { ...message("once"), queue_id: queueId, local_id: "1.01" };
    const { id } = expectSuccess(await atFollower!.post("/messages", sent));
    expect(expectSuccess(await atWriter!.post("/messages", sent))["id"]).toBe(id);
    await server.nodes[writer]!.stop();
    await until("the other one to write", async () => (await atFollower!.post("/messages", sent)).status === 200);
    expect(expectSuccess(await atFollower!.post("/messages", sent))["id"]).toBe(id);
    const narrow = [{ operator: "topic", operand: "nodes" }];
    const history = expectSuccess(
      await atFollower!.get("/messages", { anchor: "newest", num_before: 10, num_after: 0, narrow }),
    );
    expect(history["messages"]).toHaveLength(1);
  });

  it("of two nodes that have a queue, the one it went to last keeps it", async () => {
    const queue = cursorOf(await atWriter!.register({ event_types: ["message"], idle_queue_timeout: 2 }));
    const [before, now] = [writer, 1 - writer].map((index) =>
      memoryOf(server.nodes[index]!.app.system.realms()[0]!, eventQueues),
    );
    const held = before!.find(queue.queueId)!;
    // It never hears that the other node has the queue now.
    before!.letGo = () => {};
    const poll = async () => {
      const events = await atFollower!.events(queue.queueId, queue.lastEventId, { dontBlock: true });
      queue.lastEventId = events.at(-1)?.id ?? queue.lastEventId;
      return events;
    };
    expect(await poll()).toEqual([]);
    expect([held.claim, now!.find(queue.queueId)!.claim]).toEqual([0, 1]);
    await until("its own copy to expire", async () => {
      await poll();
      return before!.find(queue.queueId) === undefined;
    });
    await before!.flush();
    // From its row: nobody has collected it.
    now!.letGo(queue.queueId);
    const { id } = expectSuccess(await atWriter!.post("/messages", message("still here")));
    expect((await poll()).map((event) => (event["message"] as { id: number }).id)).toEqual([id]);
  });
});

describe("for people who run nodes", () => {
  it("/metrics: forwards by outcome, lag of the replica, taken over queues", async () => {
    const queue = cursorOf(await atWriter!.register({ event_types: ["message"] }));
    expectSuccess(await atFollower!.post("/messages", message("forwarded")));
    await atFollower!.events(queue.queueId, queue.lastEventId);
    const both = () => Promise.all([writer, 1 - writer].map((index) => series(server.urls[index]!)));
    let [written, followed] = await both();
    // The stream may bring the message after its queue was filled from PostgreSQL.
    await until("both to have counted it", async () => {
      [written, followed] = await both();
      const counts = [written!.get("parley_publish_seconds_count"), followed!.get("parley_delivery_seconds_count")];
      return counts.every((count) => count! > 0) && followed!.get("parley_replica_lag_positions") === 0;
    });
    expect(followed!.get('parley_forward_seconds_count{outcome="done"}')).toBeGreaterThan(0);
    expect(followed!.get("parley_forwards_under_way")).toBe(0);
    expect(followed!.get("parley_queues_revived_total")).toBe(1);
    expect(followed!.get("parley_commits_fenced_total")).toBe(0);
    // A lag, and no time of the clock.
    expect(followed!.get("parley_replica_lag_ms")).toBeLessThan(60_000);
    expect([written!.get("parley_replica_lag_positions"), written!.get("parley_replica_lag_ms")]).toEqual([0, 0]);
    expect([written, followed].map((one) => one!.get("parley_realms_written"))).toEqual([1, 0]);
  });

  it("/health: live, ready and draining, also while no organization can be loaded", async () => {
    const health = async (url: string) => {
      const answer = await fetch(`${url}/health`);
      return [answer.status, (await answer.json()) as object] as const;
    };
    const [status, body] = await health(server.url);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "ready", live: true, ready: true, draining: false });
    const { system } = server.server.app;
    system.readyRealm = () => undefined;
    system.realmByHost = () => Promise.reject(errors.SERVICE_UNAVAILABLE("not loaded"));
    expect((await fetch(`${server.url}/api/v1/server_settings`)).status).toBe(503);
    expect((await health(server.url))[0]).toBe(200);
    expect((await askAsOperator(`${server.url}/metrics`)).status).toBe(200);
    server.server.app.health.state = "draining";
    const [draining, said] = await health(server.url);
    expect(draining).toBe(503);
    expect(said).toMatchObject({ status: "draining", live: true, ready: false, draining: true });
  });

  it("parley nodes: who is up, which organizations each writes, how far the others are behind", async () => {
    const storage = { database: server.nodes[0]!.app.system.environment.database, url: "", dataDir: "" };
    const config = readConfig({ REDIS_URL: server.redis!.url });
    const list = () => listNodes({ ...storage, close: async () => {} }, config);
    const lines = [
      /^\S+:\d+ {2}ready, Parley \d\S*, up /,
      /^ {2}Parley: writes, at \d+, 0 queues$/m,
      /^ {2}Parley: follows, \d+ behind \(\d+ ms\), at \d+, 0 queues$/m,
    ];
    // Each tells once a second: one that has just given the organization away may not have said so yet.
    let text = "";
    await until("both to have told", async () => {
      ({ text } = await list());
      return lines.every((line) => line.test(text));
    });
    expect(text.match(/^ {2}Parley: /gm)).toHaveLength(2);
    const alone = await listNodes({ ...storage, close: async () => {} }, readConfig({}));
    expect(alone).toMatchObject({ text: expect.stringContaining("REDIS_URL"), data: { nodes: [] } });
  });
});
