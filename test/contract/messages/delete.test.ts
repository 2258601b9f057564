/** DELETE /messages/{id} and POST /streams/{id}/delete_topic. https://zulip.com/api/delete-message */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cursorOf, expectError, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { startTestServer, type TestPerson, type TestServer } from "../../support/server/server.ts";

let server: TestServer;
let admin: TestPerson;
let moderator: TestPerson;
let ada: TestPerson;
let bob: TestPerson;
let guest: TestPerson;
let eve: TestPerson;
let channel: number;
let groups: Map<string, number>;

beforeAll(async () => {
  server = await startTestServer();
  admin = await server.addUser("Admin", { role: 200 });
  moderator = await server.addUser("Moderator", { role: 300 });
  ada = await server.addUser("Ada");
  bob = await server.addUser("Bob");
  eve = await server.addUser("Eve");
  guest = await server.addUser("Guest", { role: 600 });
  channel = await server.addChannel("room", [admin, moderator, ada, bob, guest]);
  const { user_groups } = expectSuccess(await server.owner.client.get("/user_groups"));
  groups = new Map((user_groups as { id: number; name: string }[]).map(({ id, name }) => [name, id]));
  await send(admin, "the first one");
}, 60_000);
afterAll(() => server.stop());

async function send(person: TestPerson, content: string, topic = "talk", to = channel): Promise<number> {
  const reply = await person.client.post("/messages", { type: "channel", to: JSON.stringify(to), topic, content });
  return expectSuccess(reply)["id"] as number;
}
const remove = (person: TestPerson, id: number) => person.client.delete(`/messages/${id}`);
const setRealm = async (settings: Record<string, unknown>) =>
  expectSuccess(await server.owner.client.patch("/realm", settings));
const setChannel = async (settings: Record<string, unknown>) =>
  expectSuccess(await server.owner.client.patch(`/streams/${channel}`, settings));
const onlyUser = ({ id }: TestPerson) => ({ new: { direct_members: [id], direct_subgroups: [] } });
const group = (name: string) => ({ new: groups.get(name)! });
const age = (id: number, secs = 700) =>
  server.server.app.system.environment.database.sql`update messages set sent_at = sent_at - ${secs} where id = ${id}`;

describe("DELETE /messages/{message_id}", () => {
  it("delete_message: gone for everybody, told in each format", async () => {
    const id = await send(ada, "to be deleted");
    await send(bob, "stays");
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await remove(ada, id)),
    });
    const common = { type: "delete_message", message_type: "stream", stream_id: channel, topic: "talk" };
    expect(eventsOf(bob.client, MODERN)).toMatchObject([{ ...common, message_ids: [id] }]);
    expect(eventsOf(bob.client, LEGACY)).toMatchObject([{ ...common, message_id: id }]);
    for (const person of [ada, bob, admin]) expectError(await person.client.get(`/messages/${id}`), 400, "BAD_REQUEST");
    expectError(await remove(ada, id), 400, "BAD_REQUEST");
  });

  it("everything that hung on it goes: reactions, flags, parts of widgets", async () => {
    const id = await send(ada, "/poll Lunch?\nyes");
    await send(bob, "after");
    expectSuccess(await bob.client.post(`/messages/${id}/reactions`, { emoji_name: "tada" }));
    expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "add", flag: "starred" }));
    await assertConverges({ observers: [bob.client], act: async () => expectSuccess(await remove(ada, id)) });
    const { sql } = server.server.app.system.environment.database;
    const left = await sql`select 1 from reactions where message_id = ${id}
      union all select 1 from submessages where message_id = ${id} union all select 1 from message_flags where message_id = ${id}`;
    expect(left).toHaveLength(0);
  });

  it("permissions by role: by default own messages, and any for administrators", async () => {
    for (const person of [guest, ada, moderator]) {
      const foreign = await send(bob, `not by ${person.email}`);
      expectError(await remove(person, foreign), 400, "BAD_REQUEST");
      expectSuccess(await remove(person, await send(person, "my own")));
    }
    for (const person of [admin, server.owner]) expectSuccess(await remove(person, await send(bob, "any")));
  });

  it("realm can_delete_any_message_group and the channel's own group let others delete", async () => {
    await setRealm({ can_delete_any_message_group: group("role:moderators") });
    expectSuccess(await remove(moderator, await send(bob, "x")));
    await setRealm({ can_delete_any_message_group: group("role:nobody") });
    expectError(await remove(admin, await send(bob, "x")), 400, "BAD_REQUEST");
    await setChannel({ can_delete_any_message_group: onlyUser(ada) });
    const old = await send(bob, "x");
    await age(old);
    expectSuccess(await remove(ada, old));
    expectError(await remove(eve, await send(bob, "x")), 400, "BAD_REQUEST");
    await setChannel({ can_delete_any_message_group: group("role:nobody") });
    await setRealm({ can_delete_any_message_group: group("role:administrators") });
  });

  it("realm can_delete_own_message_group and the channel's own group let senders delete", async () => {
    await setRealm({ can_delete_own_message_group: group("role:administrators") });
    const id = await send(bob, "mine");
    expectError(await remove(bob, id), 400, "BAD_REQUEST");
    await setChannel({ can_delete_own_message_group: onlyUser(bob) });
    expectError(await remove(ada, await send(ada, "mine")), 400, "BAD_REQUEST");
    expectSuccess(await remove(bob, id));
    await setChannel({ can_delete_own_message_group: group("role:nobody") });
    await setRealm({ can_delete_own_message_group: group("role:everyone") });
  });

  it("message_content_delete_limit_seconds binds members, not who may delete anything nor who sets the policy", async () => {
    const late = async (person: TestPerson) => {
      const id = await send(person, "late");
      await age(id);
      return id;
    };
    expectError(await remove(bob, await late(bob)), 400, "BAD_REQUEST");
    expectSuccess(await remove(moderator, await late(moderator)));
    expectSuccess(await remove(admin, await late(bob)));
    await setRealm({ message_content_delete_limit_seconds: "unlimited" });
    expectSuccess(await remove(bob, await late(bob)));
    await setRealm({ message_content_delete_limit_seconds: 600 });
  });

  it("message_content_delete_limit_seconds gives no grace", async () => {
    const id = await send(bob, "just late");
    await age(id, 601);
    expectError(await remove(bob, id), 400, "BAD_REQUEST");
  });

  it("direct messages: an administrator who is not part of it cannot, and hears nothing", async () => {
    const sent = await ada.client.post("/messages", { type: "direct", to: [bob.id], content: "private" });
    const id = expectSuccess(sent)["id"] as number;
    await ada.client.post("/messages", { type: "direct", to: [bob.id], content: "another" });
    expectError(await remove(admin, id), 400, "BAD_REQUEST");
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client, admin.client, eve.client],
      act: async () => expectSuccess(await remove(ada, id)),
    });
    expect(eventsOf(bob.client, MODERN)).toMatchObject([{ message_type: "private", message_ids: [id] }]);
    expect(eventsOf(bob.client, MODERN)[0]).not.toHaveProperty("topic");
    expect(eventsOf(admin.client)).toEqual([]);
    expect(eventsOf(eve.client)).toEqual([]);
  });

  it("a private channel's message cannot be deleted by an administrator without access to its content", async () => {
    const secret = await server.addChannel("secret", [ada], { invite_only: true });
    const id = await send(ada, "hidden", "t", secret);
    const unseen = expectError(await remove(admin, id), 400, "BAD_REQUEST");
    expect(unseen["msg"]).toBe(expectError(await remove(admin, 99_999_999), 400, "BAD_REQUEST")["msg"]);
  });

  it("first_message_id moves on when the first message goes", async () => {
    const fresh = await server.addChannel("fresh", [ada, bob]);
    const ids = [await send(ada, "1", "t", fresh), await send(ada, "2", "t", fresh)];
    const { eventsOf } = await assertConverges({
      observers: [bob.client],
      act: async () => expectSuccess(await remove(ada, ids[0]!)),
    });
    expect(eventsOf(bob.client, MODERN)[1]).toMatchObject({ property: "first_message_id", value: ids[1] });
    await assertConverges({
      observers: [bob.client],
      act: async () => expectSuccess(await remove(ada, ids[1]!)),
    });
  });
});

describe("POST /streams/{stream_id}/delete_topic", () => {
  const wipe = (person: TestPerson, topic: string) =>
    person.client.post(`/streams/${channel}/delete_topic`, { topic_name: topic });

  it("delete_topic removes all of it: one event in bulk, one each for clients without bulk_message_deletion", async () => {
    const ids: number[] = [];
    for (const word of ["a", "b", "c"]) ids.push(await send(bob, word, "Doomed"));
    const kept = await send(bob, "kept", "other");
    const { eventsOf, result } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await wipe(admin, "doomed")),
    });
    expect(result["complete"]).toBe(true);
    expect(eventsOf(ada.client, MODERN)).toMatchObject([{ type: "delete_message", message_ids: ids, topic: "Doomed" }]);
    expect(eventsOf(ada.client, LEGACY)).toMatchObject(
      ids.map((message_id) => ({ type: "delete_message", message_id })),
    );
    expectSuccess(await bob.client.get(`/messages/${kept}`));
  });

  it("only who may delete any message may, others change nothing", async () => {
    const id = await send(bob, "here", "guarded");
    for (const person of [guest, ada, bob, moderator]) expectError(await wipe(person, "guarded"), 400, "BAD_REQUEST");
    expectSuccess(await bob.client.get(`/messages/${id}`));
    expectError(await eve.client.post("/streams/999999/delete_topic", { topic_name: "x" }), 400, "BAD_REQUEST");
  });

  it("more messages than one batch: newest first, every one told to a client without bulk deletion", async () => {
    const database = server.server.app.system.environment.database;
    const bulk = await server.addChannel("bulk", [ada, admin]);
    const first = await send(ada, "seed", "heap", bulk);
    await database.sql`
      insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
      select -n, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client
      from messages, generate_series(1, 1200) n where id = ${first}`;
    await database.sql`update messages set id = ${first} + 100000 - id where id < 0`;
    const queue = cursorOf(await ada.client.register({ event_types: ["delete_message"] }));
    const reply = await admin.client.post(`/streams/${bulk}/delete_topic`, { topic_name: "heap" });
    expect(expectSuccess(reply)["complete"]).toBe(true);
    const events = await ada.client.drain(queue);
    expect(new Set(events.map((event) => event["message_id"])).size).toBe(1201);
    expect(await database.sql`select 1 from messages where channel_id = ${bulk}`).toHaveLength(0);
  });
});
