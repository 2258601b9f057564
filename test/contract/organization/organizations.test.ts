/** Several organizations on one server: told apart by host, and closed to each other. */
import { beforeAll, describe, expect, it } from "vitest";
import { createRealm } from "../../../actors/organization/changes/create.ts";
import { ApiClient, cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer();
const { owner } = server;
const [member] = server.people("Mia Member");
/** What belongs to the first organization, and the second has nothing to do with. */
const channel = server.channel("first's own", [owner, member]);
beforeAll(setUp);

describe("organizations", () => {
  it("one that is added while the server runs has its host soon, and the others keep theirs", async () => {
    const nameAt = async (url: string) =>
      expectSuccess(await new ApiClient({ url }).get("/server_settings"))["realm_name"];
    await until("the new organization to answer", async () => (await nameAt(secondUrl())) === "Second");
    expect(await nameAt(server.url)).not.toBe("Second");
    expect(expectSuccess(await stranger.get("/users/me"))).toMatchObject({ user_id: strangerId, is_owner: true });
  });

  it("a key is good in its own organization only, whatever the address", async () => {
    const { email, apiKey } = owner;
    expectError(await new ApiClient({ url: secondUrl(), email, apiKey }).get("/users/me"), 401, "INVALID_API_KEY");
    const other = new ApiClient({ url: server.url, email, apiKey: strangerKey });
    expectError(await other.get("/users/me"), 401, "INVALID_API_KEY");
  });

  it("names and addresses are taken in their own organization only", async () => {
    const create = { name: "first's own", subscribers: [strangerId] };
    expectSuccess(await stranger.post("/channels/create", create));
    const { user_id } = expectSuccess(
      await stranger.post("/users", { email: member.email, password: "a fine password", full_name: "Mia Member" }),
    );
    expect(user_id).not.toBe(member.id);
    const found = expectSuccess(await stranger.get(`/users/${member.email}`))["user"] as JsonObject;
    expect(found["user_id"]).toBe(user_id);
  });

  it("what belongs to another organization is not there", async () => {
    const mine = expectSuccess(await stranger.get("/streams"))["streams"] as { stream_id: number }[];
    expect(mine.map(({ stream_id }) => stream_id)).not.toContain(channel.id);
    const own = mine[0]!.stream_id;
    const people = { direct_members: [member.id], direct_subgroups: [] };
    const { queue_id } = await owner.client.register({ event_types: ["message"] });
    for (const answer of [
      await stranger.get(`/streams/${channel.id}`),
      await stranger.patch(`/streams/${channel.id}`, { description: "mine now" }),
      await stranger.delete(`/streams/${channel.id}`),
      await stranger.get(`/users/${member.id}`),
      await stranger.patch(`/users/${member.id}`, { full_name: "Mine Now" }),
      await stranger.delete(`/users/${member.id}`),
      await stranger.get(`/users/${member.id}/presence`),
      await stranger.patch(`/streams/${own}`, { can_send_message_group: { new: group } }),
      await stranger.patch(`/streams/${own}`, { can_send_message_group: { new: people } }),
      await stranger.patch(`/streams/${own}`, { folder_id: folder }),
      await stranger.patch(`/channel_folders/${folder}`, { name: "Mine now" }),
      await stranger.post(`/user_groups/${group}/subgroups`, { add: [] }),
      await stranger.post("/channels/create", { name: "with them", subscribers: [member.id] }),
      await stranger.post("/users/me/subscriptions", { subscriptions: [{ name: "x" }], principals: [member.id] }),
      await stranger.post("/messages", { type: "channel", to: channel.id, topic: "t", content: "Hello" }),
      await stranger.post("/messages", { type: "direct", to: [member.id], content: "Hello" }),
      await stranger.get(`/messages/${message}`),
      await stranger.get(`/messages/${message}/history`),
      await stranger.patch(`/messages/${message}`, { content: "mine now" }),
      await stranger.delete(`/messages/${message}`),
      await stranger.post(`/messages/${message}/reactions`, { emoji_name: "tada" }),
      await stranger.post("/drafts", { drafts: [{ type: "stream", to: [channel.id], topic: "t", content: "c" }] }),
      await stranger.get("/events", { queue_id, last_event_id: -1, dont_block: true }),
    ])
      expect([answer.request, answer.status, answer.body["result"]]).toEqual([answer.request, 400, "error"]);
    expect(expectSuccess(await owner.client.get(`/messages/${message}`))["message"]).toMatchObject({
      content: "<p>Hello</p>",
      reactions: [],
    });
  });

  it("what happens in one is told in that one only", async () => {
    const queues = [await owner.queue(), cursorOf(await stranger.register())] as const;
    expectSuccess(await stranger.post("/channels/create", { name: "news", subscribers: [strangerId] }));
    expectSuccess(await stranger.post("/users/me/presence", { status: "active", ping_only: true }));
    expectSuccess(await stranger.post("/channel_folders/create", { name: "Second" }));
    expect((await stranger.drain(queues[1])).map(({ type }) => type)).toEqual(
      expect.arrayContaining(["stream", "subscription", "presence", "channel_folder"]),
    );
    expect(await owner.drain(queues[0])).toEqual([]);
    const presences = expectSuccess(await owner.client.get("/realm/presence"))["presences"] as object;
    expect(Object.keys(presences)).toEqual([]);
  });
});

async function setUp(): Promise<void> {
  const { client } = owner;
  const said = { type: "channel", to: channel.id, topic: "t", content: "Hello" };
  message = expectSuccess(await client.post("/messages", said))["id"] as number;
  const named = { name: "First Group", description: "", members: [member.id] };
  group = expectSuccess(await client.post("/user_groups/create", named))["group_id"] as number;
  folder = expectSuccess(await client.post("/channel_folders/create", { name: "First" }))[
    "channel_folder_id"
  ] as number;

  const created = await server.database.transaction((sql) =>
    createRealm(sql, {
      host: "localhost",
      name: "Second",
      owner: { email: owner.email, fullName: "Second Owner", passwordHash: null },
      now: Math.floor(Date.now() / 1000),
      hasFirstMessages: false,
    }),
  );
  strangerKey = created.ownerApiKey;
  strangerId = created.ownerId;
  stranger = new ApiClient({ url: secondUrl(), email: owner.email, apiKey: strangerKey });
}

/** Owner of the other one, added while the server runs: by the same address, under the host "localhost". */
let stranger: ApiClient;
let strangerKey: string;
let strangerId: number;
let group: number;
let folder: number;
let message: number;

const secondUrl = () => server.url.replace("127.0.0.1", "localhost");
