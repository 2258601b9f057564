/** DELETE /messages/{id} and POST /streams/{id}/delete_topic. https://zulip.com/api/delete-message */
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [admin, moderator, ada, bob, eve, guest] = server.people(
  ["Admin", 200],
  ["Moderator", 300],
  "Ada",
  "Bob",
  "Eve",
  ["Guest", 600],
);
const channel = server.channel("room", [admin, moderator, ada, bob, guest]);
beforeAll(setUp);

describe("DELETE /messages/{message_id}", () => {
  it("delete_message: gone for everybody, told in each format", async () => {
    const id = await ada.say(channel, "to be deleted", "talk");
    await bob.say(channel, "stays", "talk");
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await remove(ada, id)),
    });
    const common = { type: "delete_message", message_type: "stream", stream_id: channel.id, topic: "talk" };
    expect(eventsOf(bob.client, MODERN)).toMatchObject([{ ...common, message_ids: [id] }]);
    expect(eventsOf(bob.client, LEGACY)).toMatchObject([{ ...common, message_id: id }]);
    for (const person of [ada, bob, admin]) expectError(await person.client.get(`/messages/${id}`), 400, "BAD_REQUEST");
    expectError(await remove(ada, id), 400, "BAD_REQUEST");
  });

  it("everything that hung on it goes: reactions, flags, parts of widgets", async () => {
    const id = await ada.say(channel, "/poll Lunch?\nyes", "talk");
    await bob.say(channel, "after", "talk");
    expectSuccess(await bob.client.post(`/messages/${id}/reactions`, { emoji_name: "tada" }));
    expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "add", flag: "starred" }));
    await assertConverges({ observers: [bob.client], act: async () => expectSuccess(await remove(ada, id)) });
    const { sql } = server.database;
    const left = await sql`select 1 from reactions where message_id = ${id}
      union all select 1 from submessages where message_id = ${id} union all select 1 from message_flags where message_id = ${id}`;
    expect(left).toHaveLength(0);
  });

  it("permissions by role: by default own messages, and any for administrators", async () => {
    for (const person of [guest, ada, moderator]) {
      const foreign = await bob.say(channel, `not by ${person.email}`, "talk");
      expectError(await remove(person, foreign), 400, "BAD_REQUEST");
      expectSuccess(await remove(person, await person.say(channel, "my own", "talk")));
    }
    for (const person of [admin, server.owner])
      expectSuccess(await remove(person, await bob.say(channel, "any", "talk")));
  });

  it("a bot's messages are its owner's to delete", async () => {
    const bot = await server.addBot(ada, "helper");
    await bot.subscribe(channel.name);
    const id = await bot.say(channel, "beep", "talk");
    const refused = expectError(await remove(bob, id), 400, "BAD_REQUEST");
    expect(refused["msg"]).toBe("You don't have permission to delete this message");
    expectSuccess(await remove(ada, id));
  });

  it("realm can_delete_any_message_group and the channel's own group let others delete", async () => {
    await server.owner.setRealm({ can_delete_any_message_group: group("role:moderators") });
    expectSuccess(await remove(moderator, await bob.say(channel, "x", "talk")));
    await server.owner.setRealm({ can_delete_any_message_group: group("role:nobody") });
    expectError(await remove(admin, await bob.say(channel, "x", "talk")), 400, "BAD_REQUEST");
    await setChannel({ can_delete_any_message_group: onlyUser(ada) });
    const old = await bob.say(channel, "x", "talk");
    await age(old);
    expectSuccess(await remove(ada, old));
    expectError(await remove(eve, await bob.say(channel, "x", "talk")), 400, "BAD_REQUEST");
    await setChannel({ can_delete_any_message_group: group("role:nobody") });
    await server.owner.setRealm({ can_delete_any_message_group: group("role:administrators") });
  });

  it("realm can_delete_own_message_group and the channel's own group let senders delete", async () => {
    await server.owner.setRealm({ can_delete_own_message_group: group("role:administrators") });
    const id = await bob.say(channel, "mine", "talk");
    expectError(await remove(bob, id), 400, "BAD_REQUEST");
    await setChannel({ can_delete_own_message_group: onlyUser(bob) });
    expectError(await remove(ada, await ada.say(channel, "mine", "talk")), 400, "BAD_REQUEST");
    expectSuccess(await remove(bob, id));
    await setChannel({ can_delete_own_message_group: group("role:nobody") });
    await server.owner.setRealm({ can_delete_own_message_group: group("role:everyone") });
  });

  it("message_content_delete_limit_seconds binds members, not who may delete anything nor who sets the policy", async () => {
    const late = async (person: Person) => {
      const id = await person.say(channel, "late", "talk");
      await age(id);
      return id;
    };
    const refused = expectError(await remove(bob, await late(bob)), 400, "BAD_REQUEST");
    expect(refused["msg"]).toBe("The time limit for deleting this message has passed");
    expectSuccess(await remove(moderator, await late(moderator)));
    expectSuccess(await remove(admin, await late(bob)));
    await server.owner.setRealm({ message_content_delete_limit_seconds: "unlimited" });
    expectSuccess(await remove(bob, await late(bob)));
    await server.owner.setRealm({ message_content_delete_limit_seconds: 600 });
  });

  it("message_content_delete_limit_seconds gives no grace", async () => {
    const id = await bob.say(channel, "just late", "talk");
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
    const id = await ada.say(secret, "hidden", "t");
    const unseen = expectError(await remove(admin, id), 400, "BAD_REQUEST");
    expect(unseen["msg"]).toBe(expectError(await remove(admin, 99_999_999), 400, "BAD_REQUEST")["msg"]);
  });

  it("first_message_id moves on when the first message goes", async () => {
    const fresh = await server.addChannel("fresh", [ada, bob]);
    const ids = [await ada.say(fresh, "1", "t"), await ada.say(fresh, "2", "t")];
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
  const wipe = (person: Person, topic: string) =>
    person.client.post(`/streams/${channel.id}/delete_topic`, { topic_name: topic });

  it("delete_topic removes all of it: one event in bulk, one each for clients without bulk_message_deletion", async () => {
    const ids: number[] = [];
    for (const word of ["a", "b", "c"]) ids.push(await bob.say(channel, word, "Doomed"));
    const kept = await bob.say(channel, "kept", "other");
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
    const id = await bob.say(channel, "here", "guarded");
    for (const person of [guest, ada, bob, moderator]) {
      const refused = expectError(await wipe(person, "guarded"), 400, "BAD_REQUEST");
      expect(refused["msg"]).toBe("You don't have permission to delete this topic");
    }
    expectSuccess(await bob.client.get(`/messages/${id}`));
    expectError(await eve.client.post("/streams/999999/delete_topic", { topic_name: "x" }), 400, "BAD_REQUEST");
  });

  it("more messages than one batch: newest first, every one told to a client without bulk deletion", async () => {
    const database = server.database;
    const bulk = await server.addChannel("bulk", [ada, admin]);
    const first = await ada.say(bulk, "seed", "heap");
    await database.sql`
      insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
      select -n, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client
      from messages, generate_series(1, 1200) n where id = ${first}`;
    await database.sql`update messages set id = ${first} + 100000 - id where id < 0`;
    const queue = await ada.queue({ event_types: ["delete_message"] });
    const reply = await admin.client.post(`/streams/${bulk}/delete_topic`, { topic_name: "heap" });
    expect(expectSuccess(reply)["complete"]).toBe(true);
    const events = await ada.drain(queue);
    expect(new Set(events.map((event) => event["message_id"])).size).toBe(1201);
    expect(await database.sql`select 1 from messages where channel_id = ${bulk}`).toHaveLength(0);
  });
});

async function setUp(): Promise<void> {
  const { user_groups } = expectSuccess(await server.owner.client.get("/user_groups"));
  groups = new Map((user_groups as { id: number; name: string }[]).map(({ id, name }) => [name, id]));
  await admin.say(channel, "the first one", "talk");
}

let groups: Map<string, number>;

const remove = (person: Person, id: number) => person.client.delete(`/messages/${id}`);
const setChannel = async (settings: Record<string, unknown>) =>
  expectSuccess(await server.owner.client.patch(`/streams/${channel.id}`, settings));
const onlyUser = ({ id }: Person) => ({ new: { direct_members: [id], direct_subgroups: [] } });
const group = (name: string) => ({ new: groups.get(name)! });
const age = (id: number, secs = 700) =>
  server.database.sql`update messages set sent_at = sent_at - ${secs} where id = ${id}`;
