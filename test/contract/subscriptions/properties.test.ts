import { describe, expect, it } from "vitest";
import { cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [anna, bert] = server.people("Anna", "Bert");
const channelId = server.channel("design", [owner, anna, bert]);
const otherId = server.channel("other", [owner, anna]);
const hiddenId = server.channel("hidden", [owner], { invite_only: true });

describe("POST /users/me/subscriptions/properties", () => {
  it("each property takes its values, and only the caller hears of it", async () => {
    const changes = [
      change("color", "#C2C2C2"),
      change("pin_to_top", true),
      change("desktop_notifications", true),
      change("audible_notifications", false),
      change("push_notifications", true),
      change("email_notifications", false),
      change("wildcard_mentions_notify", true),
      change("color", "#f00", otherId.id),
    ];
    const { eventsOf } = await assertConverges({
      observers: [anna.client, bert.client],
      act: async () => expectSuccess(await set(anna, changes)),
    });
    expect(eventsOf(bert.client)).toEqual([]);
    expect(eventsOf(anna.client).map((event) => [event["property"], event["value"]])).toEqual(
      changes.map(({ property, value }) => [
        property,
        value === "#f00" ? "#ff0000" : property === "color" ? "#c2c2c2" : value,
      ]),
    );
    expect(await mine(anna)).toMatchObject({ color: "#c2c2c2", pin_to_top: true, email_notifications: false });
    expect(await mine(bert)).toMatchObject({ pin_to_top: false, email_notifications: null });
  });

  it("muting sends is_muted, and in_home_view with the opposite value; either name may be set", async () => {
    for (const [property, value, isMuted] of [
      ["is_muted", true, true],
      ["in_home_view", true, false],
      ["in_home_view", false, true],
      ["is_muted", false, false],
    ] as const) {
      const { eventsOf } = await assertConverges({
        observers: [anna.client],
        act: async () => expectSuccess(await set(anna, [change(property, value)])),
      });
      const told = Object.fromEntries(eventsOf(anna.client).map((event) => [event["property"], event["value"]]));
      expect(told).toEqual({ is_muted: isMuted, in_home_view: !isMuted });
      expect(await mine(anna)).toMatchObject({ is_muted: isMuted, in_home_view: !isMuted });
    }
  });

  it("what is set already is no event", async () => {
    const state = await anna.client.register({ event_types: ["subscription"] });
    expectSuccess(await set(anna, [change("is_muted", false), change("pin_to_top", (await mine(anna))["pin_to_top"])]));
    expect(await anna.drain(cursorOf(state))).toEqual([]);
  });

  it("a wrong property, value, color or channel is refused, and nothing changes", async () => {
    const before = await mine(anna);
    const good = change("pin_to_top", !before["pin_to_top"]);
    const bad: unknown[] = [
      change("no_such", true),
      change("id", true),
      change("__proto__", true),
      change("color", "red"),
      change("color", true),
      change("color", "#12345"),
      change("pin_to_top", "yes"),
      change("is_muted", null),
      change("is_muted", 1),
      change("is_muted", true, hiddenId.id),
      change("is_muted", true, 999_999),
      { stream_id: channelId.id },
    ];
    for (const one of bad) expectError(await set(anna, [good, one]), 400, "BAD_REQUEST");
    expectError(await set(anna, "x"), 400, "BAD_REQUEST");
    expect(await mine(anna)).toEqual(before);
  });

  it("clients without notification_settings_null see the person's own default for what was never set", async () => {
    const read = async (capabilities: JsonObject) => {
      const state = await bert.client.register({ event_types: ["subscription"], client_capabilities: capabilities });
      return state.subscriptions!.find((one) => one.stream_id === channelId.id)!["push_notifications"];
    };
    expect(await read({ notification_settings_null: true })).toBeNull();
    expect(await read({})).toBe(false);
  });
});

describe("PATCH /users/me/subscriptions/{id}", () => {
  it("changes one property, given bare or as JSON", async () => {
    for (const [property, value, shown] of [
      ["color", "#ABCDEF", "#abcdef"],
      ["color", '"#123"', "#112233"],
      ["pin_to_top", false, false],
      ["pin_to_top", "true", true],
    ] as const) {
      expectSuccess(await anna.client.patch(`/users/me/subscriptions/${otherId.id}`, { property, value }));
      expect((await mine(anna, otherId.id))[property]).toBe(shown);
    }
    const wrong = await anna.client.patch(`/users/me/subscriptions/${hiddenId.id}`, {
      property: "is_muted",
      value: true,
    });
    expectError(wrong, 400, "BAD_REQUEST");
  });
});

describe("POST /user_topics and PATCH /users/me/subscriptions/muted_topics", () => {
  const setTopic = (topic: string, visibility_policy: unknown, stream_id = channelId.id) =>
    anna.client.post("/user_topics", { stream_id, topic, visibility_policy });
  const mute = (params: JsonObject) => anna.client.patch("/users/me/subscriptions/muted_topics", params);

  it("each policy, and back to none, converges; muted_topics comes to queues that do not name user_topic", async () => {
    for (const policy of [1, 2, 3, 1, 0]) {
      const { eventsOf } = await assertConverges({
        observers: [anna.client, bert.client],
        act: async () => expectSuccess(await setTopic("Lunch", policy)),
      });
      expect(eventsOf(bert.client)).toEqual([]);
      expect(eventsOf(anna.client, MODERN)).toMatchObject([
        { type: "user_topic", stream_id: channelId.id, topic_name: "Lunch", visibility_policy: policy },
      ]);
      expect(eventsOf(anna.client, LEGACY).some(({ type }) => type === "muted_topics")).toBe(policy !== 3);
    }
  });

  it("topics compare ignoring case; the same policy again is no event", async () => {
    expectSuccess(await setTopic("Dinner", 1));
    const state = await anna.client.register({ event_types: ["user_topic"] });
    expectSuccess(await setTopic("dinner", 1));
    expect(await anna.drain(cursorOf(state))).toEqual([]);
    expect(state.user_topics).toMatchObject([{ stream_id: channelId.id, topic_name: "Dinner", visibility_policy: 1 }]);
    expectSuccess(await setTopic("DINNER", 0));
    expect((await anna.client.register({ event_types: ["user_topic"] })).user_topics).toEqual([]);
  });

  it("a channel that is unseen, a wrong policy, and a topic that is too long are refused", async () => {
    for (const response of [
      await setTopic("x", 1, hiddenId.id),
      await setTopic("x", 1, 999_999),
      await setTopic("x", 4),
      await setTopic("x", "muted"),
      await setTopic("x".repeat(61), 1),
      await setTopic("a\nb", 1),
    ])
      expectError(response, 400, "BAD_REQUEST");
  });

  it("muted_topics: by id or by name of the channel, add and remove", async () => {
    const read = async () => {
      const state = await anna.client.register({ event_types: ["muted_topics"] });
      return state.muted_topics!.map(([channel, topic, at]) => [channel, topic, typeof at]);
    };
    expectSuccess(await mute({ stream_id: channelId.id, topic: "Tea", op: "add" }));
    expectSuccess(await mute({ stream: "other", topic: "Tea", op: "add" }));
    expect(await read()).toEqual([
      ["design", "Tea", "number"],
      ["other", "Tea", "number"],
    ]);
    expectSuccess(await mute({ stream_id: channelId.id, topic: "tea", op: "remove" }));
    expectError(await mute({ topic: "Tea", op: "add" }), 400, "BAD_REQUEST");
    expectError(await mute({ stream: "other", stream_id: otherId.id, topic: "Tea", op: "add" }), 400, "BAD_REQUEST");
    expectError(await mute({ stream: "hidden", topic: "Tea", op: "add" }), 400, "STREAM_DOES_NOT_EXIST");
    expect(await read()).toEqual([["other", "Tea", "number"]]);
  });

  it("muted_topics: adding what is muted and removing what is not succeed, and change nothing", async () => {
    expectSuccess(await setTopic("Soup", 3));
    const { eventsOf } = await assertConverges({
      observers: [anna.client],
      act: async () => {
        expectSuccess(await mute({ stream_id: channelId.id, topic: "Soup", op: "remove" }));
        expectSuccess(await mute({ stream_id: channelId.id, topic: "never muted", op: "remove" }));
      },
    });
    expect(eventsOf(anna.client)).toEqual([]);
    expectSuccess(await mute({ stream_id: channelId.id, topic: "Soup", op: "add" }));
    expectSuccess(await mute({ stream_id: channelId.id, topic: "Soup", op: "add" }));
    expectSuccess(await mute({ stream_id: channelId.id, topic: "Soup", op: "remove" }));
  });

  it("muted_topics is left out when user_topic is named too", async () => {
    const state = await anna.client.register({ event_types: ["muted_topics", "user_topic"] });
    expect(state).not.toHaveProperty("muted_topics");
    expect(state).toHaveProperty("user_topics");
  });

  it("who loses sight of a private channel keeps no muted topic that names it", async () => {
    expectSuccess(
      await owner.client.post("/users/me/subscriptions", {
        subscriptions: [{ name: "hidden" }],
        principals: [anna.id],
      }),
    );
    expectSuccess(await mute({ stream: "hidden", topic: "Plans", op: "add" }));
    await assertConverges({
      observers: [anna.client],
      act: async () =>
        expectSuccess(await anna.client.delete("/users/me/subscriptions", { subscriptions: ["hidden"] })),
    });
    const state = await anna.client.register({ event_types: ["muted_topics"] });
    expect(JSON.stringify(state.muted_topics)).not.toContain("hidden");
    await assertConverges({
      observers: [anna.client],
      act: async () =>
        expectSuccess(
          await owner.client.post("/users/me/subscriptions", {
            subscriptions: [{ name: "hidden" }],
            principals: [anna.id],
            send_new_subscription_messages: false,
          }),
        ),
    });
  });
});

const set = (person: Person, changes: unknown) =>
  person.client.post("/users/me/subscriptions/properties", { subscription_data: changes });
const change = (property: string, value: unknown, stream_id = channelId.id) => ({ stream_id, property, value });
async function mine(person: Person, id = channelId.id): Promise<JsonObject> {
  const { subscriptions } = expectSuccess(await person.client.get("/users/me/subscriptions"));
  return (subscriptions as JsonObject[]).find((one) => one["stream_id"] === id)!;
}
