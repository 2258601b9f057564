import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { type ClientProfile, LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner } = server;
const [admin, member, guest] = server.people(["Ada Admin", 200], "Mia Member", ["Gus Guest", 600]);

describe("active ⇄ deactivated", () => {
  it("a deactivated user leaves what is shown, and comes back to it, as every client sees it", async () => {
    const person = await involve("Dora");
    await assertConverges({
      observers: [owner.client, guest.client, member.client],
      act: async () => expectSuccess(await admin.client.delete(`/users/${person.id}`)),
    });
    expect((await userOf(person.id))["is_active"]).toBe(false);
    expectError(await person.client.get("/users/me"), 401, "USER_DEACTIVATED");
    await assertConverges({
      observers: [owner.client, guest.client, member.client],
      act: async () => expectSuccess(await admin.client.post(`/users/${person.id}/reactivate`)),
    });
    expect((await userOf(person.id))["is_active"]).toBe(true);
    expectSuccess(await person.client.get("/users/me"));
  });

  it("the channels they were in lose them first, then everybody is told once, with is_active and nothing else", async () => {
    const person = await server.addUser("Petra Peer");
    const open = await server.addChannel("open to Petra", [person, member]);
    const secret = await server.addChannel("secret of Petra", [person, member], { invite_only: true });
    const peers = (op: string, ...stream_ids: number[]) => {
      return { type: "subscription", op, stream_ids, user_ids: [person.id] };
    };
    const active = (is_active: boolean) => {
      return { type: "realm_user", op: "update", person: { user_id: person.id, is_active } };
    };
    const told = async (act: () => Promise<unknown>) => {
      const observers = [member.client, guest.client];
      const { eventsOf } = await assertConverges({ observers, profiles: [LEGACY, MODERN], act });
      const heard = (reader: ApiClient, profile: ClientProfile) =>
        eventsOf(reader, profile)
          .filter(({ type }) => type !== "user_group")
          .map(({ id: _, ...event }) => event);
      const [first, ...others] = [LEGACY, MODERN].map((profile) => ({
        member: heard(member.client, profile),
        guest: heard(guest.client, profile),
      }));
      for (const other of others) expect(other).toEqual(first);
      return first;
    };
    // The guest is with them in the default channel alone.
    expect(await told(() => admin.client.delete(`/users/${person.id}`))).toEqual({
      member: [peers("peer_remove", 1, open), peers("peer_remove", secret), active(false)],
      guest: [peers("peer_remove", 1), active(false)],
    });
    expect(await told(() => admin.client.post(`/users/${person.id}/reactivate`))).toEqual({
      member: [active(true), peers("peer_add", 1, open), peers("peer_add", secret)],
      guest: [active(true), peers("peer_add", 1)],
    });
  });

  it("the queues of a deactivated user end", async () => {
    const person = await server.addUser("Quentin Queue");
    const queue = await person.queue({ event_types: ["message"] });
    expectSuccess(await admin.client.delete(`/users/${person.id}`));
    expectSuccess(await admin.client.post(`/users/${person.id}/reactivate`));
    const params = { queue_id: queue.queueId, last_event_id: queue.lastEventId };
    expectError(await person.client.get("/events", params), 400, "BAD_EVENT_QUEUE_ID");
  });

  it("a deactivated user's bots end too", async () => {
    const person = await server.addUser("Berta Bots");
    const bot = expectSuccess(await person.client.post("/bots", { full_name: "Helper", short_name: "helper" }));
    await assertConverges({
      observers: [owner.client, member.client],
      act: async () => expectSuccess(await admin.client.delete(`/users/${person.id}`)),
    });
    expect((await userOf(bot["user_id"] as number))["is_active"]).toBe(false);
  });

  it("logging in as somebody deactivated answers USER_DEACTIVATED", async () => {
    const person = await server.addUser("Lena Login");
    expectSuccess(await admin.client.delete(`/users/${person.id}`));
    const params = { username: person.email, password: "a fine password" };
    const anybody = new ApiClient({ url: server.url });
    expectError(await anybody.post("/fetch_api_key", params), 401, "USER_DEACTIVATED");
  });

  it("only administrators deactivate and reactivate others, and only owners an owner", async () => {
    const second = await server.addUser("Otto Owner", { role: 100 });
    for (const person of [member, guest]) {
      expectError(await person.client.delete(`/users/${admin.id}`), 400, "UNAUTHORIZED_PRINCIPAL");
      expectError(await person.client.post(`/users/${admin.id}/reactivate`), 400, "UNAUTHORIZED_PRINCIPAL");
    }
    expectError(await admin.client.delete(`/users/${second.id}`), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await owner.client.delete(`/users/${second.id}`));
    expectError(await admin.client.post(`/users/${second.id}/reactivate`), 400, "UNAUTHORIZED_PRINCIPAL");
  });

  it("the last owner cannot be deactivated, by anybody", async () => {
    for (const answer of [await owner.client.delete(`/users/${owner.id}`), await owner.client.delete("/users/me")]) {
      const error = expectError(answer, 400, "CANNOT_DEACTIVATE_LAST_USER");
      expect(error["is_last_owner"]).toBe(true);
      expect(error["entity"]).toBeTypeOf("string");
    }
  });

  it("DELETE /users/me: anybody else deactivates themselves", async () => {
    const person = await server.addUser("Selma Self", { role: 600 });
    expectSuccess(await person.client.delete("/users/me"));
    expect((await userOf(person.id))["is_active"]).toBe(false);
  });

  it("what they wrote goes as well, where that is asked: by place, and for all who saw it", async () => {
    const hall = await server.addChannel("hall", [owner, member]);
    const vault = await server.addChannel("vault", [owner, member], { invite_only: true });
    const person = await server.addUser("Wanda Writer");
    for (const name of ["hall", "vault"])
      expectSuccess(
        await owner.client.post("/users/me/subscriptions", { subscriptions: [{ name }], principals: [person.id] }),
      );
    await member.say(hall, "mine stays", "talk");
    for (let n = 0; n < 3; n++) await person.say(hall, `in public ${n}`, "talk");
    await person.say(vault, "in private", "talk");
    await person.say([member], "to one alone");
    const left = async () => {
      const narrow = [{ operator: "sender", operand: person.id }];
      const params = { anchor: "newest", num_before: 10, num_after: 0, narrow, apply_markdown: false };
      const { messages } = expectSuccess(await member.client.get("/messages", params));
      return (messages as { content: string }[]).map(({ content }) => content);
    };
    const all = ["in public 0", "in public 1", "in public 2", "in private", "to one alone"];
    const publicOnes = { delete_public_channel_messages: true };
    expectError(await member.client.delete(`/users/${person.id}`, { actions: publicOnes }), 400);
    const forGood = { ...publicOnes, delete_profile: true };
    expectError(await admin.client.delete(`/users/${person.id}`, { actions: forGood }), 400, "UNAUTHORIZED_PRINCIPAL");
    expect(await left()).toEqual(all);
    await assertConverges({
      observers: [owner.client, member.client],
      act: async () =>
        expectSuccess(
          await admin.client.delete(`/users/${person.id}`, {
            actions: { ...publicOnes, delete_direct_messages: true, delete_private_channel_messages: false },
          }),
        ),
    });
    expect(await left()).toEqual(["in private"]);
    expect((await userOf(person.id))["is_active"]).toBe(false);
    expect(expectSuccess(await member.client.get(`/users/me/${hall}/topics`))["topics"]).toHaveLength(1);
    const audited = expectSuccess(
      await owner.client.get("/realm/audit_log", {
        event_types: ["user_messages_deleted"],
        anchor: "newest",
        num_before: 9,
        num_after: 0,
      }),
    );
    expect(audited["audit_log"]).toMatchObject([{ after: { messages: 4 } }]);
  });

  it("unknown users, system bots and users deactivated already are BAD_REQUEST", async () => {
    const person = await server.addUser("Tom Twice");
    expectSuccess(await admin.client.delete(`/users/${person.id}`));
    for (const id of [999_999, person.id]) expectError(await admin.client.delete(`/users/${id}`), 400, "BAD_REQUEST");
    const state = await owner.client.register({ fetch_event_types: ["realm_user"] });
    for (const { user_id } of state["cross_realm_bots"] as { user_id: number }[])
      expectError(await owner.client.delete(`/users/${user_id}`), 400, "BAD_REQUEST");
  });
});

describe("deactivated → permanently deleted", () => {
  it("an owner deletes for good: the account keeps its id and loses everything personal", async () => {
    const person = await involve("Della");
    await assertConverges({
      observers: [owner.client, guest.client, member.client],
      act: async () =>
        expectSuccess(await owner.client.delete(`/users/${person.id}`, { actions: { delete_profile: true } })),
    });
    const user = await userOf(person.id);
    expect(user).toMatchObject({ is_active: false, is_deleted: true, full_name: `Deleted user ${person.id}` });
    expect(JSON.stringify(user)).not.toMatch(/della/i);
    expectError(await owner.client.post(`/users/${person.id}/reactivate`), 400, "BAD_REQUEST");
    // The address is free again.
    await server.addUser("Della");
  });

  it("is_deleted is present only when true", async () => {
    expect(await userOf(member.id)).not.toHaveProperty("is_deleted");
  });

  it("somebody deactivated can be deleted later, by an owner only", async () => {
    const person = await server.addUser("Late Larry");
    expectSuccess(await admin.client.delete(`/users/${person.id}`));
    const actions = { delete_profile: true };
    expectError(await admin.client.delete(`/users/${person.id}`, { actions }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await owner.client.delete(`/users/${person.id}`, { actions }));
    expect((await userOf(person.id))["is_deleted"]).toBe(true);
  });
});

describe("first log-in", () => {
  it("date_joined becomes the first log-in, and an imported stub a regular account", async () => {
    const person = await server.addUser("Ina Imported");
    for (const { state } of await server.realms()) {
      const row = state.users.get(person.id)!;
      state.applyRows("users", [{ ...row, is_imported_stub: true, date_joined: row.date_joined - 1000 }]);
    }
    expect((await userOf(person.id))["is_imported_stub"]).toBe(true);
    const before = (await userOf(person.id))["date_joined"] as string;
    const login = { username: person.email, password: "a fine password" };
    const anybody = new ApiClient({ url: server.url });
    await assertConverges({
      observers: [owner.client, guest.client],
      act: async () => expectSuccess(await anybody.post("/fetch_api_key", login)),
    });
    const user = await userOf(person.id);
    expect(user["is_imported_stub"]).toBe(false);
    expect(Date.parse(user["date_joined"] as string)).toBeGreaterThan(Date.parse(before));
    expectSuccess(await anybody.post("/fetch_api_key", login));
    expect((await userOf(person.id))["date_joined"]).toBe(user["date_joined"]);
  });
});

const userOf = async (id: number) =>
  expectSuccess(await owner.client.get(`/users/${id}`))["user"] as Record<string, unknown>;

/** Somebody who is in a channel, in a group, and named by permissions of each kind. */
async function involve(name: string): Promise<Person> {
  const person = await server.addUser(name);
  const direct = { direct_members: [person.id, owner.id], direct_subgroups: [] };
  await server.addChannel(`of ${name}`, [person, owner, guest], { can_send_message_group: direct });
  await server.addChannel(`secret of ${name}`, [person, owner], { invite_only: true });
  const archived = await server.addChannel(`past of ${name}`, [person, owner], { can_send_message_group: direct });
  expectSuccess(await owner.client.delete(`/streams/${archived}`));
  expectSuccess(
    await owner.client.post("/user_groups/create", {
      name: `group of ${name}`,
      description: "",
      members: [person.id, owner.id],
      can_join_group: direct,
    }),
  );
  await owner.setRealm({ can_create_groups: { new: direct } });
  return person;
}
