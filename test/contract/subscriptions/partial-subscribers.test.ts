import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [anna] = server.people("Anna");
beforeAll(setUp, 120_000);

describe("POST /register: include_subscribers", () => {
  it("true: every active subscriber", async () => {
    const { subscribers } = await record("true", big);
    expect(subscribers).toEqual([owner.id, anna.id, bot, ...crowd].sort((a, b) => a - b));
  });

  it("false: none", async () => {
    const fields = Object.keys(await record("false", big));
    expect(fields).not.toContain("subscribers");
    expect(fields).not.toContain("partial_subscribers");
  });

  it("partial: all below 250, else at least the bots and who was active in the last 14 days", async () => {
    expect((await record("partial", small))["subscribers"]).toEqual([owner.id]);
    const { subscribers, partial_subscribers: partial, subscriber_count } = await record("partial", big);
    expect(subscribers).toBeUndefined();
    expect(partial).toEqual(expect.arrayContaining([anna.id, bot]));
    expect(subscriber_count).toBe(size);
    expect((partial as number[]).length).toBeLessThan(size);
  });

  it("partial at exactly 249 and 250 subscribers: the limit is where it is said to be", async () => {
    const leave = (id: number) =>
      owner.client.delete("/users/me/subscriptions", { subscriptions: ["big"], principals: [id] });
    expectSuccess(await leave(crowd[0]!));
    expect(await record("partial", big)).toHaveProperty("partial_subscribers");
    expectSuccess(await leave(crowd[1]!));
    expect((await record("partial", big))["subscribers"]).toHaveLength(249);
  });

  it("more than 100 people subscribed at once are not told by the notification bot", async () => {
    const reply = expectSuccess(
      await owner.client.post("/users/me/subscriptions", {
        subscriptions: [{ name: "small" }],
        principals: crowd.slice(0, 101),
      }),
    );
    expect(reply["new_subscription_messages_sent"]).toBe(false);
    expect(Object.keys(reply["subscribed"] as object)).toHaveLength(101);
    const [row] = await server.database.sql<{ count: string }[]>`
      select count(*) from messages where channel_id is null`;
    expect(Number(row!.count)).toBe(0);
  });

  it("a request about more people times channels than one go may take is refused", async () => {
    const names = Array.from({ length: 500 }, (_, n) => `flood ${n}`);
    const subscriptions = names.map((name) => ({ name }));
    const response = await owner.client.post("/users/me/subscriptions", { subscriptions, principals: crowd });
    expectError(response, 400, "BAD_REQUEST");
    const state = await server.state();
    expect(state.channelByName("flood 0")).toBeUndefined();
  });

  it("so is one about more than a thousand channels", async () => {
    const names = Array.from({ length: 1001 }, (_, n) => `deluge ${n}`);
    const subscriptions = names.map((name) => ({ name }));
    expectError(await owner.client.post("/users/me/subscriptions", { subscriptions }), 400, "BAD_REQUEST");
    const state = await server.state();
    expect(state.channelByName("deluge 0")).toBeUndefined();
    const subscription_data = names.map(() => ({ stream_id: small, property: "is_muted", value: true }));
    const change = { subscription_data };
    expectError(await owner.client.post("/users/me/subscriptions/properties", change), 400, "BAD_REQUEST");
  });
});

async function setUp(): Promise<void> {
  const realm = await server.realm();
  crowd = [];
  for (let n = 0; crowd.length < size - 3; n++) {
    const created = await realm.execute("createUser", {
      actorId: owner.id,
      email: `crowd${n}@example.com`,
      fullName: `Crowd ${n}`,
      passwordHash: null,
      role: 400,
    });
    crowd.push(created.user_id);
  }
  bot = expectSuccess(await anna.client.post("/bots", { full_name: "Bot", short_name: "helper" }))["user_id"] as number;
  big = await server.addChannel("big", [owner, anna]);
  small = await server.addChannel("small", [owner]);
  expectSuccess(
    await owner.client.post("/users/me/subscriptions", {
      subscriptions: [{ name: "big" }],
      principals: [...crowd, bot],
      send_new_subscription_messages: false,
    }),
  );
  expectSuccess(await anna.client.post("/users/me/presence", { status: "active", ping_only: true }));
}

let bot: number;
let big: number;
let small: number;
let crowd: number[];

/** One more than the least number that may be shortened. */
const size = 251;

const record = async (include: string, channelId: number): Promise<JsonObject> => {
  const state = await owner.client.register({ event_types: ["subscription"], include_subscribers: include });
  return state.subscriptions!.find(({ stream_id }) => stream_id === channelId)!;
};
