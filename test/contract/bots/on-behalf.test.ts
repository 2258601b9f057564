/** Who acts through whom: what somebody set up earlier is held to what they may when it happens. */

import { beforeEach, describe, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes", "streams"] });
const { owner } = server;

/** A person of their own for each test, in a private channel with the owner, who may see its history. */
beforeEach(async () => {
  name = `room ${++rooms}`;
  mia = await server.addUser(`Mia ${rooms}`);
  room = await server.addChannel(name, [owner, mia], { invite_only: true, history_public_to_subscribers: true });
});

describe("a scheduled message", () => {
  it("is not sent where its author may not post any more, and they are told", async () => {
    for (const lose of [
      () => leave(mia),
      async () => {
        const state = await server.state();
        const can_send_message_group = { new: state.systemGroup("role:administrators") };
        expectSuccess(await owner.client.patch(`/streams/${room}`, { can_send_message_group }));
      },
    ]) {
      const id = await schedule();
      await lose();
      await server.makeDue(id);
      await expect.poll(() => isFailed(id), { timeout: 60_000 }).toBe(true);
      const told = await contents(mia, [["is", "dm"]]);
      expect(told.at(-1)).toContain("could not be sent");
      const subscription = { subscriptions: [{ name }], principals: [mia.id] };
      expectSuccess(await owner.client.post("/users/me/subscriptions", subscription));
    }
    expect(await contents(owner, [["channel", room]])).not.toContain("from the past");
  });

  it("is not sent into an archive, nor for somebody who is deactivated", async () => {
    const archived = await schedule();
    expectSuccess(await owner.client.delete(`/streams/${room}`));
    await server.makeDue(archived);
    await expect.poll(() => isFailed(archived), { timeout: 60_000 }).toBe(true);
    room = (await server.state()).channelByName("general")!.id;
    const orphan = await schedule();
    expectSuccess(await owner.client.delete(`/users/${mia.id}`));
    await server.makeDue(orphan);
    await expect.poll(() => isFailed(orphan), { timeout: 60_000 }).toBe(true);
    expect(await contents(owner, [["channel", room]])).not.toContain("from the past");
  });
});

it("a job is asked with nothing but an id: what is not due is not sent", async () => {
  const params = { type: "channel", to: room, topic: "t", content: "too early", scheduled_delivery_timestamp: later() };
  const { scheduled_message_id: id } = expectSuccess(await mia.client.post("/scheduled_messages", params));
  for (const realm of await server.realms()) await realm.execute("deliverScheduled", { id: id as number });
  expect(await contents(owner, [["channel", room]])).not.toContain("too early");
});

describe("who has left a private channel", () => {
  it("is reminded of nothing that is said there", async () => {
    const message_id = await owner.say(room, "the plan");
    const params = { message_id, scheduled_delivery_timestamp: later() };
    const { reminder_id } = expectSuccess(await mia.client.post("/reminders", params)) as { reminder_id: number };
    await leave(mia);
    expectSuccess(await owner.client.patch(`/messages/${message_id}`, { content: "the new plan" }));
    await server.makeDue(reminder_id);
    const reminders = async () => expectSuccess(await mia.client.get("/reminders"))["reminders"] as unknown[];
    await expect.poll(async () => (await reminders()).length, { timeout: 60_000 }).toBe(0);
    expect((await contents(mia, [["is", "dm"]])).join()).not.toContain("plan");
  });

  it("changes nothing there, their own messages neither", async () => {
    const own = await mia.say(room, "mine");
    await leave(mia);
    const { client } = mia;
    for (const answer of [
      await client.patch(`/messages/${own}`, { content: "changed" }),
      await client.patch(`/messages/${own}`, { topic: "elsewhere" }),
      await client.delete(`/messages/${own}`),
      await client.post(`/messages/${own}/reactions`, { emoji_name: "tada" }),
      await client.get(`/messages/${own}`),
      await client.get(`/messages/${own}/history`),
      await client.post("/reminders", { message_id: own, scheduled_delivery_timestamp: later() }),
    ])
      expectError(answer, 400);
    expect(await contents(owner, [["channel", room]])).toContain("mine");
  });

  it("reads no file that a message there links to", async () => {
    const file = { files: { file: { filename: "plan.txt", content: "secret" } } };
    const { url } = expectSuccess(await owner.client.post("/user_uploads", {}, file)) as { url: string };
    await owner.say(room, `[plan](${url})`);
    expect((await mia.client.get(url, {}, { root: true })).text).toBe("secret");
    await leave(mia);
    expect((await mia.client.get(url, {}, { root: true })).status).toBe(404);
  });

  it("is told by no queue what is said there, whatever it was narrowed to or asked for", async () => {
    const queues = [];
    for (const params of [{}, { narrow: [["channel", name]] }, { all_public_streams: true }])
      queues.push(await mia.queue({ event_types: ["message"], ...params }));
    await leave(mia);
    await owner.say(room, `@**Mia ${rooms}** unheard`);
    for (const queue of queues) expect(JSON.stringify(await mia.drain(queue))).not.toContain("unheard");
    for (const realm of await server.realms()) memoryOf(realm, eventQueues).evict();
    for (const queue of queues) expect(JSON.stringify(await mia.drain(queue))).not.toContain("unheard");
  });

  it("learns no new name of a topic that they follow, nor of the channel", async () => {
    const id = await owner.say(room, "first", "old name");
    const policy = { stream_id: room, topic: "old name", visibility_policy: 3 };
    expectSuccess(await mia.client.post("/user_topics", policy));
    const drafted = { type: "stream", to: [room], topic: "old name", content: "mine", timestamp: 1 };
    expectSuccess(await mia.client.post("/drafts", { drafts: [drafted] }));
    await leave(mia);
    const queue = await mia.queue({});
    const params = { topic: "new name", propagate_mode: "change_all" };
    expectSuccess(await owner.client.patch(`/messages/${id}`, params));
    expectSuccess(await owner.client.patch(`/streams/${room}`, { new_name: `${name} renamed` }));
    const told = JSON.stringify([await mia.drain(queue), await mia.client.register({})]);
    expect(told).not.toContain("new name");
    expect(told).not.toContain("renamed");
    const link = `#**${name} renamed** #**${name} renamed>new name@${id}**`;
    const { rendered } = expectSuccess(await mia.client.post("/messages/render", { content: link }));
    expect(rendered).not.toContain("href");
  });
});

describe("a queue of somebody whose role changed", () => {
  it("is told by the role of now what is new", async () => {
    const admin = await server.addUser(`Adam ${rooms}`, { role: 200 });
    const queue = await admin.queue({ event_types: ["message", "invites_changed", "realm_bot"] });
    const all = await admin.queue({ event_types: ["message"], all_public_streams: true });
    expectSuccess(await owner.client.patch(`/users/${admin.id}`, { role: 600 }));
    expectSuccess(await owner.client.post("/invites/multiuse", {}));
    await server.addBot(mia, `untold${rooms}`);
    const open = await server.addChannel(`open ${rooms}`, [owner]);
    expectSuccess(await owner.client.post("/messages", { type: "stream", to: open, topic: "t", content: "unheard" }));
    expect(await admin.drain(queue)).toEqual([]);
    expect(await admin.drain(all)).toEqual([]);
  });
});

describe("a command that waits for its turn", () => {
  it("is decided by what its actor may then, on whichever node they asked", async () => {
    const admin = await server.addUser(`Ada ${rooms}`, { role: 200 });
    const [realm] = (await server.realms()).slice(-1);
    expectSuccess(await owner.client.patch(`/users/${admin.id}`, { role: 400 }));
    await realm!.current();
    // What the node let through by the role of before.
    const rename = { actorId: admin.id, userId: mia.id, fullName: "Renamed" };
    await expect(realm!.execute("updateUser", rename)).rejects.toMatchObject({ code: "UNAUTHORIZED_PRINCIPAL" });
    expectSuccess(await owner.client.delete(`/users/${admin.id}`));
    const message = { userId: admin.id, to: { userIds: [mia.id] }, content: "x", client: "t", readBySender: false };
    await expect(realm!.execute("sendMessage", message)).rejects.toMatchObject({ message: "Account is deactivated" });
  });

  it("a route for a role has commands that ask for it themselves", async () => {
    const guarded: [Parameters<NonNullable<Awaited<ReturnType<typeof realmOf>>>["execute"]>[0], JsonObject][] = [
      ["updateRealm", { userId: mia.id, settings: {} }],
      ["updateUserDefaults", { userId: mia.id, settings: {} }],
      ["updateSettingsOf", { actorId: mia.id, userIds: [mia.id], groupIds: [], skipsEdited: false, settings: {} }],
      ["deactivateUser", { actorId: mia.id, userId: owner.id }],
      ["reactivateUser", { actorId: mia.id, userId: owner.id }],
      ["updateUser", { actorId: mia.id, userId: owner.id }],
      ["createUser", { actorId: mia.id, email: "x@example.com", fullName: "X", passwordHash: null, role: 100 }],
      ["deactivateRealm", { userId: mia.id }],
    ];
    const realm = await realmOf();
    for (const [command, args] of guarded)
      await expect(realm.execute(command, args as never), command).rejects.toMatchObject({
        code: "UNAUTHORIZED_PRINCIPAL",
      });
  });
  const realmOf = async () => (await server.realms())[0]!;
});

it("a log-in proves nothing of another organization, and a key only its own account", async () => {
  const other = new ApiClient({ url: server.urls, email: owner.email, apiKey: mia.apiKey });
  expectError(await other.get("/users/me"), 401, "INVALID_API_KEY");
});

let mia: Person;
let room: number;
let name: string;
let rooms = 0;

const now = () => Math.floor(Date.now() / 1000);
const later = () => now() + 3600;
const leave = async (person: Person) =>
  expectSuccess(
    await owner.client.delete("/users/me/subscriptions", { subscriptions: [name], principals: [person.id] }),
  );
const contents = async (by: Person, narrow: unknown) => {
  const params = { narrow, anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
  const { messages } = expectSuccess(await by.client.get("/messages", params)) as { messages: { content: string }[] };
  return messages.map(({ content }) => content);
};

const schedule = async () =>
  expectSuccess(
    await mia.client.post("/scheduled_messages", {
      type: "channel",
      to: room,
      topic: "t",
      content: "from the past",
      scheduled_delivery_timestamp: later(),
    }),
  )["scheduled_message_id"] as number;
const isFailed = async (id: number) =>
  (await server.database.sql<{ failed: boolean }[]>`select failed from scheduled_messages where id = ${id}`)[0]?.failed;
