import { beforeAll, describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
const [author, hidden] = server.people("Author", "Hidden");
beforeAll(setUp);

describe("unauthenticated POST /register", () => {
  it("gives no queue, and web-public channels only", async () => {
    const state = expectSuccess(await register());
    expect(state["queue_id"]).toBeNull();
    expect(state["last_event_id"]).toBe(-1);
    expect(state["zulip_feature_level"]).toBe(496);
    expect(idsOf(state["streams"], "stream_id")).toEqual([open]);
    expect(state["subscriptions"]).toEqual([]);
    expect(JSON.stringify(state)).not.toContain("inside");
    expect(secret).toBeGreaterThan(0);
  });

  it("shows the people of web-public channels only, without addresses", async () => {
    const state = expectSuccess(await register());
    const people = state["realm_users"] as Record<string, unknown>[];
    expect(idsOf(people, "user_id")).toContain(author.id);
    expect(idsOf(people, "user_id")).not.toContain(hidden.id);
    for (const person of people) expect(person).toMatchObject({ delivery_email: null, timezone: "" });
    expect(JSON.stringify(state)).not.toContain(author.email);
    expect(JSON.stringify(state)).not.toContain(hidden.email);
  });

  it("personal parts are there and empty", async () => {
    const state = expectSuccess(await register());
    expect(state).toMatchObject({
      presences: {},
      user_topics: [],
      muted_users: [],
      drafts: [],
      starred_messages: [],
      alert_words: [],
      realm_bots: [],
      max_message_id: -1,
      unread_msgs: { count: 0 },
    });
    expect(state).not.toHaveProperty("devices");
    expect(state).not.toHaveProperty("user_id");
  });

  it("fetch_event_types chooses the parts", async () => {
    const state = expectSuccess(await register({ fetch_event_types: ["realm"] }));
    expect(state).toHaveProperty("realm_name");
    expect(state).not.toHaveProperty("streams");
  });

  it("client_gravatar defaults to false, and true is an error", async () => {
    const people = expectSuccess(await register())["realm_users"] as Record<string, unknown>[];
    for (const person of people) expect(person["avatar_url"]).toMatch(/./);
    expectSuccess(await register({ client_gravatar: false }));
    expectError(await register({ client_gravatar: true }), 400, "BAD_REQUEST");
  });

  it("include_subscribers other than false is an error", async () => {
    expectSuccess(await register({ include_subscribers: "false" }));
    expectError(await register({ include_subscribers: "true" }), 400, "BAD_REQUEST");
    expectError(await register({ include_subscribers: "partial" }), 400, "BAD_REQUEST");
  });

  it("who is in a named or anonymous group is not told", async () => {
    const { owner } = server;
    const { group_id } = expectSuccess(
      await owner.client.post("/user_groups/create", { name: "insiders", description: "", members: [hidden.id] }),
    );
    const value = { direct_members: [hidden.id], direct_subgroups: [] };
    await owner.setRealm({ can_create_groups: { new: value } });
    expectSuccess(await owner.client.patch(`/streams/${open}`, { can_send_message_group: { new: value } }));
    const state = expectSuccess(await register());
    expect(idsOf(state["realm_user_groups"], "id")).not.toContain(group_id);
    expect(JSON.stringify(state)).not.toContain("direct_members");
  });

  it("is 401 where spectators are not allowed, by the organization or by the server", async () => {
    const closed = await startTestServer({ PARLEY_WEB_PUBLIC_STREAMS_ENABLED: "off" });
    try {
      expectSuccess(await closed.owner.client.patch("/realm", { enable_spectator_access: true }));
      const nobody = new ApiClient({ url: closed.url });
      expectError(await nobody.post("/register"), 401, "UNAUTHENTICATED_USER");
    } finally {
      await closed.stop();
    }
    await server.owner.setRealm({ enable_spectator_access: false });
    try {
      expectError(await register(), 401, "UNAUTHENTICATED_USER");
    } finally {
      await server.owner.setRealm({ enable_spectator_access: true });
    }
  });

  it("wrong credentials are no spectator", async () => {
    const wrong = new ApiClient({ url: server.url, email: author.email, apiKey: "x".repeat(32) });
    expectError(await wrong.post("/register"), 401, "INVALID_API_KEY");
  });
});

describe("is_web_public", () => {
  let channel: number;
  beforeAll(async () => {
    channel = await server.addChannel("read by all", [author], { is_web_public: true });
  });

  const look = () => ({
    messages: anybody.get("/messages", {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      narrow: [["channel", channel]],
    }),
    topics: anybody.get(`/users/me/${channel}/topics`),
    register: register(),
    avatar: anybody.get(`/avatar/${author.id}`, {}, { root: true }),
  });

  it("lets anybody read its history, and what goes with it", async () => {
    const said = { type: "channel", to: channel, topic: "for all", content: "Come in" };
    const { id } = expectSuccess(await author.client.post("/messages", said));
    const seen = look();
    const messages = expectSuccess(await seen.messages)["messages"] as JsonObject[];
    expect(messages).toMatchObject([{ id, content: "<p>Come in</p>", sender_full_name: "Author" }]);
    // The people of the register have the same placeholders; without an address nobody computes a gravatar.
    const shown = {
      sender_email: expect.stringMatching(`^user${author.id}@`),
      avatar_url: expect.stringContaining("identicon"),
    };
    const { message } = expectSuccess(await anybody.get(`/messages/${id}`));
    for (const sent of [messages[0], message]) {
      expect(sent).toMatchObject(shown);
      expect(JSON.stringify(sent)).not.toContain(author.email);
    }
    expect(expectSuccess(await seen.topics)["topics"]).toEqual([{ name: "for all", max_id: id }]);
    expectSuccess(await seen.register);
    expect((await seen.avatar).status).toBe(302);
    expect(expectSuccess(await anybody.get("/server_settings"))["realm_web_public_access_enabled"]).toBe(true);
  });

  it("is worth nothing once the server has no web-public channels any more", async () => {
    server.allowWebPublicChannels(false);
    try {
      for (const answer of Object.values(look())) expectError(await answer, 401, "UNAUTHENTICATED_USER");
      expect(expectSuccess(await anybody.get("/server_settings"))["realm_web_public_access_enabled"]).toBe(false);
      // Those who are logged in go on reading it.
      expectSuccess(await hidden.client.get(`/users/me/${channel}/topics`));
    } finally {
      server.allowWebPublicChannels(true);
    }
  });
});

async function setUp(): Promise<void> {
  anybody = new ApiClient({ url: server.url });
  await server.owner.setRealm({ enable_spectator_access: true });
  open = await server.addChannel("open to all", [author], { is_web_public: true });
  secret = await server.addChannel("inside", [author, hidden], { invite_only: true });
}

let anybody: ApiClient;
let open: number;
let secret: number;

const register = (params: JsonObject = {}) => anybody.post("/register", params);
const idsOf = (list: unknown, field: string) => (list as Record<string, unknown>[]).map((entry) => entry[field]);
