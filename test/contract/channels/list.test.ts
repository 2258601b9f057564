import { assert } from "superstruct";
import { beforeAll, describe, expect, it } from "vitest";
import { visibleChannels } from "../../../actors/channels/lists.ts";
import { channelRecord } from "../../../actors/channels/shapes.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { MODERN, registerParams } from "../../support/convergence/client-profile.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [admin, member, guest] = server.people(["Adele Admin", 200], "Mia Member", ["Gus Guest", 600]);
beforeAll(setUp);

describe("GET /streams", () => {
  it("records have every field of a channel, and nothing else", async () => {
    const { streams } = expectSuccess(await owner.client.get("/streams")) as { streams: JsonObject[] };
    for (const channel of streams) {
      assert(channel, channelRecord);
      expect(channel).toHaveProperty("stream_post_policy");
      expect(channel).toHaveProperty("is_announcement_only");
    }
  });

  it("by default public channels and those the user is subscribed to, without archived ones", async () => {
    expect(await list(member)).toEqual([standard, pub, mine, guests, web]);
    expect(await list(guest)).toEqual([guests, web]);
    expect(await list(admin)).toEqual([standard, pub, guests, web]);
    expect(await list(owner)).toEqual([standard, pub, mine, guests, hidden, open, web]);
  });

  it("with all filters off the list is empty", async () => {
    for (const person of everyone()) expect(await list(person, off)).toEqual([]);
  });

  it("each filter adds its own, and together they are a union", async () => {
    const only = (params: JsonObject) => list(member, { ...off, ...params });
    expect(await only({ include_public: true })).toEqual([standard, pub, guests, web]);
    expect(await only({ include_web_public: true })).toEqual([web]);
    expect(await only({ include_subscribed: true })).toEqual([standard, mine]);
    expect(await only({ include_default: true })).toEqual([standard]);
    expect(await only({ include_all: true })).toEqual([standard, pub, mine, guests, open, web]);
    expect(await only({ include_can_access_content: true })).toEqual([standard, pub, mine, guests, open, web]);
    expect(await only({ include_owner_subscribed: true })).toEqual([]);
    expect(await only({ include_web_public: true, include_subscribed: true })).toEqual([standard, mine, web]);
  });

  it("exclude_archived=false adds the archived channels that another filter includes", async () => {
    const both = { ...off, exclude_archived: false };
    expect(await list(member, { ...both, include_subscribed: true })).toEqual([standard, mine, archived]);
    expect(await list(member, { ...both, include_web_public: true })).toEqual([web]);
    expect(await list(owner, { ...both, include_all: true })).toContain(archived);
    expect(await list(owner, { include_all: true })).not.toContain(archived);
  });

  it("include_all is every channel for administrators, and all of which one may know for others", async () => {
    const all = { ...off, include_all: true };
    expect(await list(admin, all)).toEqual([standard, pub, mine, guests, hidden, open, web]);
    expect(await list(guest, all)).toEqual([guests, web]);
  });

  it("include_can_access_content leaves out private channels that an administrator is not in", async () => {
    const content = await list(admin, { ...off, include_can_access_content: true });
    expect(content).toEqual([standard, pub, guests, web, open].sort((a, b) => a - b));
  });

  it("include_all_active takes administrative privileges", async () => {
    expectError(await member.client.get("/streams", { include_all_active: true }), 400, "BAD_REQUEST");
    expect(await list(admin, { ...off, include_all_active: true })).toContain(hidden);
  });

  it("include_default says of each channel whether it is a default one", async () => {
    const { streams } = expectSuccess(await member.client.get("/streams", { include_default: true })) as {
      streams: JsonObject[];
    };
    expect(streams.filter((channel) => channel["is_default"]).map((channel) => channel["stream_id"])).toEqual([
      standard,
    ]);
    const { streams: plain } = expectSuccess(await member.client.get("/streams")) as { streams: JsonObject[] };
    for (const channel of plain) expect(channel).not.toHaveProperty("is_default");
  });

  it("include_owner_subscribed gives a bot the channels of its owner", async () => {
    const helper = await server.addUser("Helper Bot");
    const realms = await server.realms();
    for (const { state } of realms) {
      const row = { ...state.users.get(helper.id)!, is_bot: true, bot_type: 1, bot_owner_id: member.id };
      state.apply([{ table: "users", put: [row] }]);
    }
    await realms[0]!.database
      .sql`update users set is_bot = true, bot_type = 1, bot_owner_id = ${member.id} where id = ${helper.id}`;
    const listed = await list(helper, { ...off, include_owner_subscribed: true });
    expect(await list(helper, off)).toEqual([]);
    expect(listed).toEqual(await list(member, { ...off, include_subscribed: true }));
    expect(listed).toContain(mine);
  });

  it("a filter that is no boolean is refused", async () => {
    expectError(await member.client.get("/streams", { include_public: "perhaps" }), 400, "BAD_REQUEST");
  });
});

describe("GET /streams/{id}, /get_stream_id, /streams/{id}/members, /streams/{id}/email_address", () => {
  it("answer what the caller may know of, archived channels by their id too", async () => {
    expect(expectSuccess(await member.client.get(`/streams/${mine}`))["stream"]).toMatchObject({
      stream_id: mine,
      invite_only: true,
      subscriber_count: 2,
    });
    expect(expectSuccess(await member.client.get(`/streams/${archived}`))["stream"]).toMatchObject({
      is_archived: true,
    });
    expect(expectSuccess(await admin.client.get(`/streams/${hidden}/members`))["subscribers"]).toEqual([owner.id]);
    expect(await idOf(member, " PRIVATE with the member ")).toBe(mine);
  });

  it.each(["", "/members", "/email_address"])("%s: an unseen channel answers like an absent one", async (path) => {
    const absent = expectError(await member.client.get(`/streams/999999${path}`), 400, "BAD_REQUEST");
    expect(expectError(await member.client.get(`/streams/${hidden}${path}`), 400)).toEqual(absent);
    expect(expectError(await guest.client.get(`/streams/${pub}${path}`), 400)).toEqual(absent);
  });

  it("Decided: an unseen private channel by name gives STREAM_DOES_NOT_EXIST, like an absent one", async () => {
    for (const stream of ["private of the owner", "no such channel"]) {
      const error = expectError(await member.client.get("/get_stream_id", { stream }), 400, "STREAM_DOES_NOT_EXIST");
      expect(error["stream"]).toBe(stream);
    }
  });

  it("members are active subscribers only", async () => {
    const leaver = await server.addUser("Leaver");
    const id = await server.addChannel(newName(), [member, leaver]);
    expectSuccess(await owner.client.delete(`/users/${leaver.id}`));
    expect(expectSuccess(await member.client.get(`/streams/${id}/members`))["subscribers"]).toEqual([member.id]);
  });

  it("email_address is a text; a sender must be the caller or a bot of theirs", async () => {
    const ask = (params: JsonObject) => member.client.get(`/streams/${mine}/email_address`, params);
    expect(expectSuccess(await ask({}))["email"]).toBe("");
    expectSuccess(await ask({ sender_id: member.id }));
    expectError(await ask({ sender_id: owner.id }), 400, "BAD_REQUEST");
    expectError(await admin.client.get(`/streams/${hidden}/email_address`), 400, "BAD_REQUEST");
  });
});

describe("GET /users/me/{stream_id}/topics", () => {
  const topicsOf = async (client: ApiClient, id: number, params: JsonObject = {}) =>
    expectSuccess(await client.get(`/users/me/${id}/topics`, params))["topics"] as { name: string; max_id: number }[];
  const send = async (id: number, topic: string) =>
    expectSuccess(await owner.client.post("/messages", { type: "stream", to: id, topic, content: "Hi" }))[
      "id"
    ] as number;

  it("lists each topic once, ignoring case, as its newest message spells it, newest first", async () => {
    const id = await server.addChannel(newName(), [owner, member]);
    expect(await topicsOf(member.client, id)).toEqual([]);
    await send(id, "Lunch");
    const dinner = await send(id, "dinner");
    const lunch = await send(id, "LUNCH");
    expect(await topicsOf(member.client, id)).toEqual([
      { name: "LUNCH", max_id: lunch },
      { name: "dinner", max_id: dinner },
    ]);
  });

  it("the empty topic has its display name unless allow_empty_topic_name", async () => {
    const id = await server.addChannel(newName(), [owner]);
    const max_id = await send(id, "");
    expect(await topicsOf(member.client, id)).toEqual([{ name: "general chat", max_id }]);
    expect(await topicsOf(member.client, id, { allow_empty_topic_name: true })).toEqual([{ name: "", max_id }]);
  });

  it("where history is protected, only topics with a message that the caller received", async () => {
    const name = newName();
    const id = await server.addChannel(name, [owner], { invite_only: true });
    await send(id, "before");
    await send(id, "both");
    expectSuccess(
      await owner.client.post("/users/me/subscriptions", { subscriptions: [{ name }], principals: [member.id] }),
    );
    const during = await send(id, "both");
    const only = await send(id, "during");
    expectSuccess(
      await owner.client.delete("/users/me/subscriptions", { subscriptions: [name], principals: [member.id] }),
    );
    await send(id, "both");
    await send(id, "while away");
    expectSuccess(
      await owner.client.post("/users/me/subscriptions", { subscriptions: [{ name }], principals: [member.id] }),
    );
    expect(await topicsOf(member.client, id)).toEqual([
      { name: "during", max_id: only },
      { name: "both", max_id: during },
    ]);
    expect((await topicsOf(owner.client, id)).map((topic) => topic.name).slice(0, 2)).toEqual(["while away", "both"]);
  });

  it("a channel whose content the caller may not read answers like an absent one", async () => {
    const absent = expectError(await member.client.get("/users/me/999999/topics"), 400, "BAD_REQUEST");
    expect(expectError(await member.client.get(`/users/me/${hidden}/topics`), 400)).toEqual(absent);
    expect(expectError(await admin.client.get(`/users/me/${hidden}/topics`), 400)).toEqual(absent);
    expect(expectError(await guest.client.get(`/users/me/${pub}/topics`), 400)).toEqual(absent);
  });

  it("a spectator reads the topics of web-public channels and of no other", async () => {
    const spectator = new ApiClient({ url: server.url });
    await send(web, "for the world");
    expect((await topicsOf(spectator, web)).map((topic) => topic.name)).toEqual(["for the world"]);
    expectError(await spectator.get(`/users/me/${pub}/topics`), 401, "UNAUTHENTICATED_USER");
  });

  it("costs by topic, not by message: thousands of messages in a topic are not read", async () => {
    const id = await server.addChannel(newName(), [owner]);
    const first = await send(id, "busy");
    const { database } = await server.realm();
    await database.sql`
      insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
      select 100000000 + n, m.realm_id, m.recipient_id, m.channel_id, m.sender_id, 'busy', 'x', '<p>x</p>', m.sent_at, 'test'
      from messages m, generate_series(1, 20000) n where m.id = ${first}`;
    await database.sql`vacuum analyze messages`;
    expect(await topicsOf(member.client, id)).toEqual([{ name: "busy", max_id: 100_020_000 }]);
    const plan = await database.sql.unsafe(
      `explain (analyze, format json) select lower(m.topic) from messages m
       where m.recipient_id = (select recipient_id from messages where id = ${first} limit 1) and m.channel_id is not null
       order by lower(m.topic) limit 1`,
    );
    expect(JSON.stringify(plan)).toContain("messages_topic");
    await database.sql`delete from messages where id > 100000000`;
  });
});

describe("register: parts about channels", () => {
  const fetch = (person: Person, types: string[], params: JsonObject = {}) =>
    person.client.register({ ...params, fetch_event_types: types });
  const idsOf = (channels: readonly { stream_id: number }[] | undefined) =>
    channels!.map((channel) => channel.stream_id).sort((a, b) => a - b);

  it("streams: every channel the person may know of", async () => {
    const base = [standard, pub, guests, web].sort((a, b) => a - b);
    const known = async (person: Person) => {
      const ids = new Set(idsOf((await fetch(person, ["stream"])).streams));
      return [standard, pub, mine, guests, hidden, open, web, archived].filter((id) => ids.has(id));
    };
    expect(await known(guest)).toEqual([guests, web]);
    expect(await known(member)).toEqual([...base, mine, open].sort((a, b) => a - b));
    expect(await known(admin)).toEqual([...base, mine, hidden, open].sort((a, b) => a - b));
  });

  it("archived channels only for clients that know of them, in every list", async () => {
    const types = ["stream", "subscription"];
    const plain = await fetch(member, types);
    expect(idsOf(plain.streams)).not.toContain(archived);
    expect(idsOf(plain.subscriptions)).not.toContain(archived);
    const modern = await member.client.register({ ...registerParams(MODERN), fetch_event_types: types });
    expect(idsOf(modern.streams)).toContain(archived);
    expect(idsOf(modern.subscriptions)).toContain(archived);
  });

  it("default_streams: ids, none for guests; default_stream_groups and channel_folders are lists", async () => {
    const types = ["default_streams", "default_stream_groups", "channel_folders"];
    const state = await fetch(member, types);
    expect(state["realm_default_streams"]).toEqual([standard]);
    expect(state["realm_default_stream_groups"]).toEqual([]);
    expect(state["channel_folders"]).toEqual([]);
    expect((await fetch(guest, types))["realm_default_streams"]).toEqual([]);
  });

  it("every channel that the person may know of is in exactly one of the three lists", async () => {
    for (const person of everyone()) {
      const state = await fetch(person, ["stream", "subscription"]);
      const standings = [...state.subscriptions!, ...state.unsubscribed!, ...state.never_subscribed!];
      expect(idsOf(standings)).toEqual(idsOf(state.streams));
    }
  });

  it("a spectator may know of web-public channels, while spectators are let in", async () => {
    const visible = async () =>
      (await server.realms()).map(({ state }) => visibleChannels(state, undefined, true).map((channel) => channel.id));
    expect(await visible()).toEqual(server.nodes.map(() => [web]));
    await owner.setRealm({ enable_spectator_access: false });
    expect(await visible()).toEqual(server.nodes.map(() => []));
    await owner.setRealm({ enable_spectator_access: true });
  });
});

describe("a channel", () => {
  const channelOf = async (id: number) =>
    expectSuccess(await owner.client.get(`/streams/${id}`))["stream"] as JsonObject;

  it("has the types of its fields, and a creator unless it was made with the organization", async () => {
    expect(await channelOf(standard)).toMatchObject({ creator_id: null, is_archived: false, invite_only: false });
    expect(await channelOf(pub)).toMatchObject({ creator_id: owner.id, date_created: expect.any(Number) });
    expect(await channelOf(archived)).toMatchObject({ is_archived: true });
    expect(await channelOf(hidden)).toMatchObject({ invite_only: true, history_public_to_subscribers: false });
    expect(await channelOf(web)).toMatchObject({ is_web_public: true, history_public_to_subscribers: true });
    expect(Math.abs(((await channelOf(pub))["date_created"] as number) - Date.now() / 1000)).toBeLessThan(300);
  });

  it("first_message_id is null until there is a message, and then stays the first", async () => {
    const id = await server.addChannel(newName(), [owner]);
    expect((await channelOf(id))["first_message_id"]).toBe(null);
    const send = async () =>
      expectSuccess(await owner.client.post("/messages", { type: "channel", to: id, topic: "first", content: "one" }))[
        "id"
      ];
    const first = await send();
    await send();
    expect((await channelOf(id))["first_message_id"]).toBe(first);
  });

  it.each([
    ["role:everyone", 1],
    ["role:members", 1],
    ["role:administrators", 2],
    ["role:fullmembers", 3],
    ["role:moderators", 4],
    ["role:nobody", 1],
  ])(
    "stream_post_policy and is_announcement_only say what can_send_message_group=%s comes to",
    async (name, policy) => {
      const id = await server.addChannel(newName(), [owner], { can_send_message_group: groups[name] });
      expect(await channelOf(id)).toMatchObject({
        can_send_message_group: groups[name],
        stream_post_policy: policy,
        is_announcement_only: policy === 2,
      });
    },
  );
});

async function setUp(): Promise<void> {
  // They were a member first.
  expectSuccess(await guest.client.delete("/users/me/subscriptions", { subscriptions: ["general"] }));
  const state = await owner.client.register({ fetch_event_types: ["realm_user_groups"] });
  groups = Object.fromEntries(state.realm_user_groups!.map((group) => [group.name, group.id as number]));
  await owner.setRealm({ enable_spectator_access: true });
  pub = await server.addChannel("public", [owner]);
  mine = await server.addChannel("private with the member", [owner, member], { invite_only: true });
  guests = await server.addChannel("public with the guest", [guest]);
  hidden = await server.addChannel("private of the owner", [owner], { invite_only: true });
  open = await server.addChannel("private, members may join", [owner], {
    invite_only: true,
    can_subscribe_group: groups["role:members"],
  });
  web = await server.addChannel("web-public", [owner], { is_web_public: true });
  archived = await server.addChannel("archived", [member]);
  expectSuccess(await owner.client.delete(`/streams/${archived}`));
  standard = (await idOf(owner, "general"))!;
}

let groups: Record<string, number>;
/** Ids of the channels that the lists are made from. */
let pub: number;
let mine: number;
let guests: number;
let hidden: number;
let open: number;
let web: number;
let archived: number;
let standard: number;
let names = 0;

const newName = () => `listed ${++names}`;
const everyone = () => [owner, admin, member, guest];

const idOf = async (person: Person, stream: string) =>
  expectSuccess(await person.client.get("/get_stream_id", { stream }))["stream_id"] as number;
const off = { include_public: false, include_subscribed: false };
const list = async (person: Person, params: JsonObject = {}) =>
  (expectSuccess(await person.client.get("/streams", params))["streams"] as JsonObject[]).map(
    (channel) => channel["stream_id"] as number,
  );
