import { beforeAll, describe, expect, it } from "vitest";
import { cursorOf, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [anna, bert, guest] = server.people("Anna", "Bert", ["Guest", 600]);
beforeAll(setUp);

describe("can_access_all_users_group: a guest knows the people of their channels", () => {
  it("joining and leaving change whom the guest knows, each person once", async () => {
    expect(await known()).toEqual([guest.id]);
    const steps: [() => ReturnType<typeof subscribe>, [string, number][]][] = [
      // The guest joins Anna's channel; then both of the others at once; Bert is known from one of them alone.
      [() => subscribe(["one"], [guest]), [["add", anna.id]]],
      [() => subscribe(["two"], [guest]), [["add", bert.id]]],
      // Anna is still known from the other channel.
      [() => unsubscribe(["one"], [guest]), []],
      [() => unsubscribe(["two"], [bert]), [["remove", bert.id]]],
      // Somebody joins the guest's channel.
      [
        () => subscribe(["two"], [bert, owner]),
        [
          ["add", bert.id],
          ["add", owner.id],
        ],
      ],
      [() => unsubscribe(["one", "two"], [anna]), [["remove", anna.id]]],
      [
        () => unsubscribe(["two"], [guest]),
        [
          ["remove", bert.id],
          ["remove", owner.id],
        ],
      ],
    ];
    for (const [act, expected] of steps) {
      const { eventsOf } = await assertConverges({
        observers: [guest.client, anna.client],
        act: async () => expectSuccess(await act()),
      });
      expect(told(eventsOf(guest.client, MODERN)).sort()).toEqual(expected.sort());
      // Who counts on knowing every id is told of somebody unknown instead.
      const older = told(eventsOf(guest.client, LEGACY));
      expect(older.sort()).toEqual(expected.map(([, id]) => ["add", id]).sort());
      expect(told(eventsOf(anna.client))).toEqual([]);
    }
    expect(await known()).toEqual([guest.id]);
  });

  it("a message of somebody unknown does not say who they are, neither when it comes nor when it is read", async () => {
    expectSuccess(await subscribe(["one"], [guest, anna]));
    const queueOf = async ({ client }: Person) => cursorOf(await client.register({ event_types: ["message"] }));
    const queues = { guest: await queueOf(guest), anna: await queueOf(anna) };
    const outside = { type: "channel", to: "one", topic: "hello", content: "from outside" };
    const { id } = expectSuccess(await bert.client.post("/messages", outside));
    const read = async ({ client }: Person) => expectSuccess(await client.get(`/messages/${id as number}`))["message"];
    const [toGuest] = await guest.drain(queues.guest);
    for (const message of [toGuest!["message"], await read(guest)]) {
      expect(message).toMatchObject({
        sender_id: bert.id,
        sender_full_name: "Unknown user",
        sender_email: expect.stringMatching(`^user${bert.id}@`),
        avatar_url: expect.stringContaining("000000"),
      });
      expect(JSON.stringify(message)).not.toContain(bert.email);
    }
    const [toAnna] = await anna.drain(queues.anna);
    const plain = { sender_full_name: "Bert", sender_email: bert.email, avatar_url: null };
    for (const message of [toAnna!["message"], await read(anna)]) expect(message).toMatchObject(plain);
    expectSuccess(await subscribe(["one"], [bert]));
    expect(await read(guest)).toMatchObject(plain);
    expectSuccess(await unsubscribe(["one"], [guest, bert]));
  });

  it("reactions and presences of somebody unknown do not say who they are", async () => {
    expectSuccess(await subscribe(["one"], [guest]));
    const said = { type: "channel", to: "one", topic: "hello", content: "react" };
    const { id } = expectSuccess(await anna.client.post("/messages", said));
    const queue = await guest.queue({ event_types: ["reaction", "presence"] });
    expectSuccess(await bert.client.post(`/messages/${id as number}/reactions`, { emoji_name: "tada" }));
    expectSuccess(await bert.client.post("/users/me/presence", { status: "active" }));
    const events = await guest.drain(queue);
    const email = expect.stringMatching(`^user${bert.id}@`) as unknown;
    expect(events).toMatchObject([
      { type: "reaction", user_id: bert.id, user: { user_id: bert.id, email, full_name: "Unknown user" } },
      { type: "presence", user_id: bert.id, email },
    ]);
    const answer = expectSuccess(await guest.client.post("/users/me/presence", { status: "active" }));
    expect(Object.keys(answer["presences"] as object)).toContainEqual(email);
    const { presences } = await guest.client.register({ fetch_event_types: ["presence"] });
    expect(Object.keys(presences as object)).toContainEqual(email);
    expect(JSON.stringify([events, answer, presences])).not.toContain(bert.email);
    expectSuccess(await unsubscribe(["one"], [guest]));
  });

  it("a guest cannot name somebody unknown as a principal, nor ask whether they are subscribed", async () => {
    const { stream_id } = expectSuccess(await anna.client.get("/get_stream_id", { stream: "two" }));
    const status = await guest.client.get(`/users/${anna.id}/subscriptions/${stream_id as number}`);
    expect(status.status).toBe(400);
  });
});

async function setUp(): Promise<void> {
  const state = await server.state();
  // People who joined "general" by themselves would be known from there.
  for (const person of [anna, bert, guest, owner])
    await person.client.delete("/users/me/subscriptions", { subscriptions: ["general"] });
  const members = state.groups.findByName("role:members")!.id;
  await owner.setRealm({ can_access_all_users_group: { new: members } });
  await server.addChannel("one", [anna]);
  await server.addChannel("two", [anna, bert]);
}

const subscribe = (names: string[], people: Person[]) =>
  owner.client.post("/users/me/subscriptions", {
    subscriptions: names.map((name) => ({ name })),
    principals: people.map(({ id }) => id),
    send_new_subscription_messages: false,
  });
const unsubscribe = (names: string[], people: Person[]) =>
  owner.client.delete("/users/me/subscriptions", { subscriptions: names, principals: people.map(({ id }) => id) });
const known = async () => {
  const { realm_users } = await guest.client.register({
    event_types: ["realm_user"],
    client_capabilities: { user_list_incomplete: true },
  });
  return realm_users!.filter((user) => !user["is_bot"]).map(({ user_id }) => user_id);
};
type Told = { op?: unknown; person?: JsonObject };
const told = (events: readonly { type: string }[]) =>
  events
    .filter(({ type }) => type === "realm_user")
    .map((event) => [(event as Told).op, (event as Told).person!["user_id"]]);
