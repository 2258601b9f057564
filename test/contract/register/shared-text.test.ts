import { describe, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner } = server;
const [ada, bob, guest] = server.people("Ada", "Bob", ["Gwen Guest", 600]);

describe("what a register tells everybody alike", () => {
  const groupNamed = (state: JsonObject, name: string) =>
    (state["realm_user_groups"] as JsonObject[]).find((group) => group["name"] === name);

  it("is as it is now, whatever of it has changed", async () => {
    const { client } = owner;
    const group = expectSuccess(
      await client.post("/user_groups/create", { name: "tea", description: "", members: [ada.id, bob.id] }),
    )["group_id"] as number;
    const steps: [change: () => Promise<unknown>, seen: (state: JsonObject) => unknown, expected: unknown][] = [
      [() => client.patch("/realm", { name: "Tea House" }), (state) => state["realm_name"], "Tea House"],
      [
        () => client.post("/realm/filters", { pattern: "#(?P<id>[0-9]+)", url_template: "https://x.org/{id}" }),
        (state) => (state["realm_linkifiers"] as unknown[]).length,
        1,
      ],
      [
        () => client.post("/channel_folders/create", { name: "Work", description: "" }),
        (state) => (state["channel_folders"] as JsonObject[]).map(({ name }) => name),
        ["Work"],
      ],
      [
        () => client.post(`/user_groups/${group}/subgroups`, { add: [1] }),
        (state) => groupNamed(state, "tea")?.["direct_subgroup_ids"],
        [1],
      ],
      [
        () => client.patch(`/users/${bob.id}`, { role: 300 }),
        (state) => groupNamed(state, "role:moderators")?.["members"],
        [bob.id],
      ],
      [() => client.delete(`/users/${bob.id}`), (state) => groupNamed(state, "tea")?.["members"], [ada.id]],
      [
        () => client.post(`/users/${bob.id}/reactivate`),
        (state) => groupNamed(state, "tea")?.["members"],
        [ada.id, bob.id],
      ],
      [
        () => client.patch("/realm/user_settings_defaults", { twenty_four_hour_time: true }),
        (state) => (state["realm_user_settings_defaults"] as JsonObject)["twenty_four_hour_time"],
        true,
      ],
    ];
    const capable = { client_capabilities: { linkifier_url_template: true } };
    for (const [change, seen, expected] of steps) {
      expect(seen(await ada.client.register(capable)), String(seen)).not.toEqual(expected);
      expectSuccess((await change()) as never);
      for (const person of [ada, owner]) expect(seen(await person.client.register(capable))).toEqual(expected);
    }
  });

  it("is told each client as far as it can do with it, and asked for it", async () => {
    const ask = { fetch_event_types: ["realm_linkifiers"], event_types: [] };
    for (let time = 0; time < 2; time++) {
      const plain = await ada.client.register(ask);
      expect(plain["realm_linkifiers"]).toEqual([]);
      expect(plain).not.toHaveProperty("realm_name");
      const modern = await ada.client.register({ ...ask, client_capabilities: { linkifier_url_template: true } });
      expect(modern["realm_linkifiers"]).toHaveLength(1);
    }
  });
});

describe("the channels of a register", () => {
  const modern = { client_capabilities: { archived_channels: true } };

  /** What a register lists must be what GET /streams shows, each channel in one of the lists. */
  async function expectAllListed(person: Person, params: JsonObject): Promise<void> {
    const state = await person.client.register({ ...params, fetch_event_types: ["stream", "subscription"] });
    const known = { include_all: true, exclude_archived: params["client_capabilities"] === undefined };
    const { streams } = expectSuccess(await person.client.get("/streams", known)) as { streams: JsonObject[] };
    expect(state["streams"]).toEqual(streams);
    const lists = [state.subscriptions, state.unsubscribed, state.never_subscribed] as unknown as JsonObject[][];
    const listed = lists.flat().sort((a, b) => Number(a["stream_id"]) - Number(b["stream_id"]));
    expect(listed).toMatchObject(streams);
    expect(listed).toHaveLength(streams.length);
  }

  it("are those that each person sees, as they are now", async () => {
    const names = Array.from({ length: 70 }, (_, index) => ({ name: `channel ${index}` }));
    const everybody = [owner, ada, guest];
    const check = async () => {
      for (const person of everybody) for (const params of [{}, modern]) await expectAllListed(person, params);
    };
    expectSuccess(await owner.client.post("/users/me/subscriptions", { subscriptions: names, principals: [bob.id] }));
    await check();
    const idOf = async (index: number) =>
      expectSuccess(await owner.client.get("/get_stream_id", { stream: `channel ${index}` }))["stream_id"] as number;
    const some = [await idOf(3), await idOf(40), await idOf(69)];
    const [first, second, third] = some as [number, number, number];
    expectSuccess(await ada.client.post("/users/me/subscriptions", { subscriptions: names.slice(40, 41) }));
    await check();
    expectSuccess(await owner.client.patch(`/streams/${first}`, { description: "Another one" }));
    await check();
    expectSuccess(await owner.client.patch(`/streams/${third}`, { is_private: true }));
    await check();
    expectSuccess(await owner.client.delete(`/streams/${second}`));
    await check();
  });
});
