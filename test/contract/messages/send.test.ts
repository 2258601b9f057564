/** POST /messages: rules of sending. https://zulip.com/api/send-message */
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
const [ada, bob, eve] = server.people("Ada", "Bob", "Eve");
const channel = server.channel("room", [ada, bob]);
beforeAll(setUp);

describe("direct messages", () => {
  it("direct_message_initiator_group: others may answer, not begin", async () => {
    await server.owner.setRealm({ direct_message_initiator_group: people(ada) });
    expectError(await direct(bob, [eve]), 400, "BAD_REQUEST");
    expectError(await direct(bob, [ada]), 400, "BAD_REQUEST");
    expectSuccess(await direct(ada, [bob]));
    expectSuccess(await direct(bob, [ada]));
    expectError(await direct(bob, [ada, eve]), 400, "BAD_REQUEST");
    await server.owner.setRealm({ direct_message_initiator_group: group("role:everyone") });
    expectSuccess(await direct(bob, [eve]));
  });

  it("direct_message_permission_group: somebody in the conversation must hold it", async () => {
    await server.owner.setRealm({ direct_message_permission_group: people(ada) });
    expectError(await direct(bob, [eve]), 400, "BAD_REQUEST");
    expectSuccess(await direct(bob, [eve, ada]));
    expectSuccess(await direct(bob, [ada]));
    expectSuccess(await direct(bob, [bob]));
    await server.owner.setRealm({ direct_message_permission_group: group("role:nobody") });
    expectError(await direct(ada, [bob]), 400, "BAD_REQUEST");
    expectSuccess(await direct(ada, [ada]));
    await server.owner.setRealm({ direct_message_permission_group: group("role:everyone") });
  });

  it("a direct message reaches its people and nobody else", async () => {
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client, eve.client, server.owner.client],
      act: async () => expectSuccess(await direct(ada, [bob])),
    });
    expect(eventsOf(bob.client)).toHaveLength(1);
    expect(eventsOf(eve.client)).toEqual([]);
    expect(eventsOf(server.owner.client)).toEqual([]);
  });
});

describe("channels", () => {
  it("an unseen channel answers like one that does not exist, by name and by id", async () => {
    const hidden = await server.addChannel("hidden", [bob], { invite_only: true });
    expect(expectError(await post(ada, "x", { to: "hidden" }), 400, "STREAM_DOES_NOT_EXIST")["stream"]).toBe("hidden");
    expect(expectError(await post(ada, "x", { to: "absent" }), 400, "STREAM_DOES_NOT_EXIST")["stream"]).toBe("absent");
    const byId = expectError(await post(ada, "x", { to: JSON.stringify(hidden) }), 400, "STREAM_DOES_NOT_EXIST");
    expect(byId["stream_id"]).toBe(hidden);
  });

  it("can_send_message_group says who may post, administrators no more than others", async () => {
    const named = expectSuccess(
      await server.owner.client.post("/user_groups/create", { name: "posters", description: "", members: [bob.id] }),
    )["group_id"];
    const id = await server.addChannel("posters only", [ada, bob, eve]);
    const to = { to: id };
    const who = async (setting: unknown) => {
      expectSuccess(await server.owner.client.patch(`/streams/${id}`, { can_send_message_group: { new: setting } }));
      const may: string[] = [];
      for (const [name, person] of Object.entries({ ada, bob, eve, owner: server.owner })) {
        const response = await post(person, "may I?", to);
        if (response.status === 200) may.push(name);
        else expectError(response, 400, "BAD_REQUEST");
      }
      return may;
    };
    expect(await who(named)).toEqual(["bob"]);
    expect(await who({ direct_members: [ada.id], direct_subgroups: [named] })).toEqual(["ada", "bob"]);
    expect(await who(groups.get("role:administrators"))).toEqual(["owner"]);
    expect(await who(groups.get("role:nobody"))).toEqual([]);
    expect(await who(groups.get("role:everyone"))).toEqual(["ada", "bob", "eve", "owner"]);
  });

  it("a new topic also takes can_create_topic_group, one that exists does not", async () => {
    const id = await server.addChannel("few topics", [ada, bob], {
      can_create_topic_group: { direct_members: [ada.id], direct_subgroups: [] },
    });
    const say = (person: Person, topic: string) => post(person, "hello", { to: id, topic });
    expectError(await say(bob, "Plans"), 400, "BAD_REQUEST");
    expectError(await say(server.owner, "Plans"), 400, "BAD_REQUEST");
    expectSuccess(await say(ada, "Plans"));
    expectSuccess(await say(bob, "plans"));
    expectError(await say(bob, "Other plans"), 400, "BAD_REQUEST");
  });

  it("wildcards in a large channel and topic need can_mention_many_users_group", async () => {
    const crowd = await Promise.all(Array.from({ length: 16 }, (_, index) => server.addUser(`Crowd ${index}`)));
    const square = JSON.stringify(await server.addChannel("square", [ada, server.owner, ...crowd]));
    for (const person of crowd) expectSuccess(await post(person, "here", { to: square }));
    expectError(await post(ada, "hey @**all**", { to: square }), 400, "STREAM_WILDCARD_MENTION_NOT_ALLOWED");
    expectError(await post(ada, "hey @**topic**", { to: square }), 400, "TOPIC_WILDCARD_MENTION_NOT_ALLOWED");
    expectSuccess(await post(server.owner, "hey @**all** and @**topic**", { to: square }));
    expectSuccess(await post(ada, "hey @**all**"));
    await server.owner.setRealm({ can_mention_many_users_group: group("role:members") });
    expectSuccess(await post(ada, "hey @**topic**", { to: square }));
    await server.owner.setRealm({ can_mention_many_users_group: group("role:administrators") });
  });
});

describe("content", () => {
  it("is trimmed, must not be empty, and is cut off above 10000 code points with a notice", async () => {
    for (const content of ["", "  \n\n ", "\n\t\n"]) expectError(await post(ada, content), 400, "BAD_REQUEST");
    const { id } = expectSuccess(await post(ada, "\n\n  text  \n"));
    const raw = async (message: unknown) =>
      expectSuccess(await ada.client.get(`/messages/${message as number}`))["raw_content"] as string;
    expect(await raw(id)).toBe("  text");
    const full = expectSuccess(await post(ada, "😀".repeat(10_000)));
    expect([...(await raw(full["id"]))].length).toBe(10_000);
    expect(await raw(full["id"])).not.toContain("truncated");
    const long = await raw(expectSuccess(await post(ada, "😀".repeat(10_001)))["id"]);
    expect([...long].length).toBe(10_000);
    expect(long).toMatch(/\n\[message truncated\]$/);
  });

  it("who waits is told of a widget with its message", async () => {
    const queue = await ada.queue({ event_types: ["message"] });
    const { id } = expectSuccess(await post(ada, "/poll Tea?\nyes"));
    const { message } = (await ada.next(queue, "message")) as unknown as { message: { submessages: object[] } };
    expect(message.submessages).toHaveLength(1);
    const read = (await ada.read(id as number))["submessages"];
    expect(message.submessages).toEqual(read);
  });

  it("/todo and /poll begin widgets; widget_content must be one that clients know", async () => {
    const first = async (reply: Record<string, unknown>) => {
      const { message } = expectSuccess(await ada.client.get(`/messages/${reply["id"] as number}`));
      const [part] = (message as { submessages: { content: string }[] }).submessages;
      return JSON.parse(part!.content) as unknown;
    };
    expect(await first(expectSuccess(await post(ada, "/todo Chores\nsweep: the floor\n- dust")))).toEqual({
      widget_type: "todo",
      extra_data: {
        task_list_title: "Chores",
        tasks: [
          { task: "sweep", desc: "the floor" },
          { task: "dust", desc: "" },
        ],
      },
    });
    const poll = { widget_type: "poll", extra_data: { question: "Q", options: ["a"] } };
    expect(await first(expectSuccess(await post(ada, "pick", { widget_content: JSON.stringify(poll) })))).toEqual(poll);
    for (const widget_content of ["{", "[]", '{"widget_type":"toString"}', '{"widget_type":"poll","extra_data":{}}'])
      expectError(await post(ada, "x", { widget_content }), 400, "BAD_REQUEST");
  });
});

describe("muting people", () => {
  it("what a muted person sends is read from the start", async () => {
    expectSuccess(await bob.client.post(`/users/me/muted_users/${ada.id}`));
    const { eventsOf } = await assertConverges({
      observers: [bob.client, ada.client],
      act: async () => expectSuccess(await post(ada, "anybody?")),
    });
    expect(eventsOf(bob.client, MODERN).find(({ type }) => type === "message")!["flags"]).toContain("read");
  });
});

it("direct messages go to ids or to addresses, not to both at once", async () => {
  const say = (to: unknown) => ada.client.post("/messages", { type: "direct", to, content: "both?" });
  expectSuccess(await say([bob.id, eve.id]));
  expectSuccess(await say([bob.email, eve.email]));
  for (const to of [
    [bob.id, eve.email],
    [eve.email, bob.id],
    [bob.id, null],
  ])
    expectError(await say(to), 400, "BAD_REQUEST");
});

it("translate_emoticons: emoji for emoticons in what its author sends, edits and previews, in nobody else's", async () => {
  const shown = async (id: unknown) => {
    const { message } = expectSuccess(await bob.client.get(`/messages/${id as number}`)) as { message: JsonObject };
    return message["content"];
  };
  expectSuccess(await ada.client.patch("/settings", { translate_emoticons: true }));
  const { id } = expectSuccess(await post(ada, "well :)"));
  expect(await shown(id)).toContain(":slight_smile:</span>");
  expectSuccess(await ada.client.patch(`/messages/${id as number}`, { content: "oh ;)" }));
  expect(await shown(id)).toContain(":wink:</span>");
  expectSuccess(await ada.client.patch("/settings", { translate_emoticons: false }));
  const rendered = async (person: Person) =>
    expectSuccess(await person.client.post("/messages/render", { content: ":)" }))["rendered"];
  expect(await rendered(ada)).toBe("<p>:)</p>");
  expectSuccess(await ada.client.patch("/settings", { translate_emoticons: true }));
  expect(await rendered(ada)).toContain(":slight_smile:</span>");
  expect(await rendered(bob)).toBe("<p>:)</p>");
  expect(await shown(expectSuccess(await post(bob, "well :)"))["id"])).toBe("<p>well :)</p>");
});

async function setUp(): Promise<void> {
  const { user_groups } = expectSuccess(await server.owner.client.get("/user_groups"));
  groups = new Map((user_groups as { id: number; name: string }[]).map(({ id, name }) => [name, id]));
}

let groups: Map<string, number>;

const direct = (person: Person, to: Person[], content = "hello") =>
  person.client.post("/messages", { type: "direct", to: to.map(({ id }) => id), content });
const post = (person: Person, content: string, params: Record<string, unknown> = {}) =>
  person.client.post("/messages", {
    type: "channel",
    to: JSON.stringify(channel.id),
    topic: "talk",
    content,
    ...params,
  });
const people = (...members: Person[]) => ({
  new: { direct_members: members.map(({ id }) => id), direct_subgroups: [] },
});
const group = (name: string) => ({ new: groups.get(name)! });
