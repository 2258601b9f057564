import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
/** Somebody to be subscribed and unsubscribed. */
const [other] = server.people("Other");
beforeAll(setUp);

describe("DELETE /users/me/subscriptions", () => {
  it("2. a user may remove a bot they own from any channel they can access", async () => {
    const name = await made({});
    const bot = people["bot"]!;
    expectSuccess(await subscribe(owner, name, { principals: [bot.id] }));
    expectError(await unsubscribe(people["moderator"]!, name, { principals: [bot.id] }), 400, "BAD_REQUEST");
    expectSuccess(await unsubscribe(people["member"]!, name, { principals: [bot.id] }));
    const hidden = await made({ invite_only: true });
    expectSuccess(await subscribe(other, hidden, { principals: [bot.id] }));
    expectError(await unsubscribe(people["member"]!, hidden, { principals: [bot.id] }), 400, "STREAM_DOES_NOT_EXIST");
  });

  it("feature level 362: who is in an archived channel can leave it; older clients hear nothing of it", async () => {
    const name = fresh("archived");
    const channelId = await server.addChannel(name, [owner, other]);
    expectSuccess(await owner.client.delete(`/streams/${channelId}`));
    const { eventsOf } = await assertConverges({
      observers: [other.client, owner.client],
      act: async () => expectSuccess(await unsubscribe(other, name)),
    });
    const kinds = eventsOf(other.client, LEGACY).map(({ type }) => type);
    expect(kinds.filter((type) => type === "subscription" || type === "stream")).toEqual([]);
    expect(eventsOf(other.client, MODERN).some(({ op }) => op === "remove")).toBe(true);
  });
});

describe("can_add_subscribers_group", () => {
  it("the organization's, or the channel's; who administers the channel always may", async () => {
    const { member, moderator } = people as Record<string, Person>;
    const settings = (new_: number) => owner.client.patch("/realm", { can_add_subscribers_group: { new: new_ } });
    expectSuccess(await settings(await server.groupNamed("role:moderators")));
    const add = (person: Person, name: string) => subscribe(person, name, { principals: [people["bot"]!.id] });
    const plain = await made({});
    expectError(await add(member!, plain), 400, "BAD_REQUEST");
    expectSuccess(await add(moderator!, plain));
    const only = { direct_members: [member!.id], direct_subgroups: [] };
    for (const setting of ["can_add_subscribers_group", "can_administer_channel_group"])
      expectSuccess(await add(member!, await made({ [setting]: only })));
    // Whoever makes a channel administers it.
    expectSuccess(await add(member!, fresh("own")));
    expectError(
      await subscribe(member!, fresh("not own"), {
        principals: [people["bot"]!.id],
        can_administer_channel_group: await server.groupNamed("role:nobody"),
      }),
      400,
      "BAD_REQUEST",
    );
    expectSuccess(await settings(await server.groupNamed("role:members")));
  });
});

describe("audience of subscription events", () => {
  it("a private channel's are for those who see it: subscribers, administrators, and whom its groups name", async () => {
    const { administrator, member, moderator, guest, bot } = people as Record<string, Person>;
    const watcher = { direct_members: [moderator!.id, guest!.id], direct_subgroups: [] };
    const name = await made({ invite_only: true, can_administer_channel_group: watcher });
    const { eventsOf } = await assertConverges({
      observers: [administrator, member, moderator, guest, bot, other].map((person) => person!.client),
      act: async () => expectSuccess(await subscribe(other, name, { principals: [owner.id] })),
    });
    const hears = (person: Person) => eventsOf(person.client).some(({ op }) => op === "peer_add");
    expect([administrator, moderator, other].map((person) => hears(person!))).toEqual([true, true, true]);
    // A guest sees what they are in and nothing else, whatever group they are in.
    expect([member, guest, bot].map((person) => eventsOf(person!.client).length)).toEqual([0, 0, 0]);
  });

  it("a public channel's are for members, and for guests who are in it", async () => {
    const { member, guest } = people as Record<string, Person>;
    const [with_, without] = [await made({}), await made({})];
    expectSuccess(await subscribe(owner, with_, { principals: [guest!.id] }));
    const { eventsOf } = await assertConverges({
      observers: [member!.client, guest!.client],
      act: async () =>
        expectSuccess(
          await owner.client.post("/users/me/subscriptions", {
            subscriptions: [{ name: with_ }, { name: without }],
            principals: [owner.id],
          }),
        ),
    });
    const channels = (person: Person) =>
      eventsOf(person.client).map((event) => (event["stream_ids"] as number[]).length);
    expect(channels(member!)).toEqual([2]);
    expect(channels(guest!)).toEqual([1]);
  });
});

const people: Record<string, Person> = {};
let counter = 0;
const fresh = (name: string) => `${name} ${++counter}`;
const everybody = ["owner", "administrator", "moderator", "member", "guest", "bot"];
const subscribe = (person: Person, name: string, params: Record<string, unknown> = {}) =>
  person.client.post("/users/me/subscriptions", {
    subscriptions: [{ name }],
    send_new_subscription_messages: false,
    ...params,
  });
const unsubscribe = (person: Person, name: string, params: Record<string, unknown> = {}) =>
  person.client.delete("/users/me/subscriptions", { subscriptions: [name], ...params });
/** What is done, on a channel made for it by `other`, and who may. */
const matrix: [string, Action, string[]][] = [
  [
    "makes a public channel",
    (person) => subscribe(person, fresh("public")),
    everybody.filter((who) => who !== "guest"),
  ],
  [
    "makes a private channel",
    (person) => subscribe(person, fresh("private"), { invite_only: true }),
    everybody.filter((who) => who !== "guest"),
  ],
  [
    "joins a public channel",
    async (person) => subscribe(person, await made({})),
    everybody.filter((who) => who !== "guest"),
  ],
  ["joins a web-public channel", async (person) => subscribe(person, await made({ is_web_public: true })), everybody],
  ["joins a private channel", async (person) => subscribe(person, await made({ invite_only: true })), []],
  [
    "adds somebody to a public channel",
    async (person) => subscribe(person, await made({}), { principals: [people["bot"]!.id, owner.id, person.id] }),
    everybody.filter((who) => who !== "guest"),
  ],
  [
    "adds somebody to a private channel that they are not in",
    async (person) => subscribe(person, await made({ invite_only: true }), { principals: [owner.id] }),
    [],
  ],
  [
    "removes somebody from a public channel",
    async (person) => unsubscribe(person, await made({}), { principals: [other.id] }),
    ["owner", "administrator"],
  ],
  [
    "removes somebody from a private channel that they are not in",
    async (person) => unsubscribe(person, await made({ invite_only: true }), { principals: [other.id] }),
    ["owner", "administrator"],
  ],
];
async function made(params: Record<string, unknown>): Promise<string> {
  const name = fresh("channel");
  const by = params["is_web_public"] ? owner : other;
  expectSuccess(await subscribe(by, name, { principals: [other.id], ...params }));
  return name;
}

describe("who may do what to subscriptions, by role", () => {
  for (const [what, act, allowed] of matrix) {
    it(what, async () => {
      const may: string[] = [];
      for (const who of everybody) {
        const response = await act(people[who]!);
        if (response.status === 200) may.push(who);
        else expect(response.body["code"]).toMatch(/^(BAD_REQUEST|STREAM_DOES_NOT_EXIST)$/);
      }
      expect(may).toEqual(allowed);
    });
  }
});

async function setUp(): Promise<void> {
  people["owner"] = owner;
  people["administrator"] = await server.addUser("Administrator", { role: 200 });
  people["moderator"] = await server.addUser("Moderator", { role: 300 });
  people["member"] = await server.addUser("Member");
  people["guest"] = await server.addUser("Guest", { role: 600 });
  people["bot"] = await server.addBot(people["member"], "helper");
  await owner.setRealm({ enable_spectator_access: true });
}

type Action = (person: Person) => ReturnType<typeof subscribe>;
