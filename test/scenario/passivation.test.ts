import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../support/client/api.ts";
import { startTestServer, type TestServer } from "../support/server/server.ts";
import { until } from "../support/time/until.ts";

describe("an organization that nobody uses", () => {
  let server: TestServer;
  beforeAll(async () => {
    // A second each: idle after one, passivated after two.
    server = await startTestServer({ PARLEY_REALM_IDLE_AFTER: "1" }, 1);
  });
  afterAll(() => server?.stop());

  const realm = () => server.server.app.system.all().find(({ id }) => id === 1)!;

  it("R5 R7 is idle, then gives back everything it had loaded, and is whole again with the next request", async () => {
    const { id } = expectSuccess(
      await server.owner.client.post("/messages", { type: "channel", to: "general", topic: "kept", content: "before" }),
    );
    expectSuccess(await server.owner.client.post("/users/me/presence", { status: "active" }));
    await until("the realm to be passivated", () => realm().status === "passivated");
    expect(realm().loaded).toBeUndefined();
    expect(realm().isWriter).toBe(false);
    expect(server.server.app.system.realms()).toEqual([]);

    const { messages } = expectSuccess(
      await server.owner.client.get("/messages", { anchor: "newest", num_before: 1, num_after: 0 }),
    ) as { messages: { id: number }[] };
    expect(messages.map((message) => message.id)).toEqual([id]);
    expect(realm().loaded).toBeDefined();
    const { presences } = expectSuccess(await server.owner.client.get("/realm/presence")) as { presences: object };
    expect(Object.keys(presences)).toEqual(["owner@example.com"]);
    const sent = expectSuccess(
      await server.owner.client.post("/messages", { type: "channel", to: "general", topic: "kept", content: "after" }),
    );
    expect(sent["id"]).toBeGreaterThan(id as number);
  });

  it("stays as long as one of its queues lives", async () => {
    const { queue_id } = expectSuccess(await server.owner.client.post("/register", { event_types: ["message"] }));
    const much = Date.now() / 1000 + 3600;
    realm().sweep(much);
    realm().sweep(much);
    expect(realm().loaded).toBeDefined();
    expectSuccess(await server.owner.client.delete("/events", { queue_id }));
    realm().sweep(much);
    realm().sweep(much);
    expect(realm().loaded).toBeUndefined();
  });
});
