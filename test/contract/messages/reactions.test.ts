/** Reactions and parts of widgets. https://zulip.com/api/add-reaction */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes", "native build", "streams"] });
const [ada, bob, eve, guest] = server.people("Ada", "Bob", "Eve", ["Guest", 600]);
const channel = server.channel("room", [ada, bob]);

describe("reactions", () => {
  it("reaction: added and removed, with the user beside it", async () => {
    const id = await ada.say(channel, "hi", "talk");
    const added = await assertConverges({
      observers: [ada.client, bob.client, eve.client],
      act: async () => expectSuccess(await react(bob, id, { emoji_name: "tada" })),
    });
    const fields = {
      message_id: id,
      user_id: bob.id,
      emoji_name: "tada",
      emoji_code: "1f389",
      reaction_type: "unicode_emoji",
    };
    expect(added.eventsOf(ada.client, MODERN)).toMatchObject([
      {
        type: "reaction",
        op: "add",
        ...fields,
        user: { user_id: bob.id, full_name: "Bob", email: expect.any(String) },
      },
    ]);
    expect(added.eventsOf(eve.client)).toEqual([]);
    expect(await reactionsOn(id)).toMatchObject([{ user_id: bob.id, emoji_name: "tada" }]);
    const removed = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await unreact(bob, id, { emoji_name: "tada" })),
    });
    expect(removed.eventsOf(ada.client, MODERN)).toMatchObject([{ type: "reaction", op: "remove", ...fields }]);
    expect(await reactionsOn(id)).toEqual([]);
  });

  it("the same twice is REACTION_ALREADY_EXISTS, removing an absent one REACTION_DOES_NOT_EXIST", async () => {
    const id = await ada.say(channel, "hi", "talk");
    expectError(await unreact(bob, id, { emoji_name: "tada" }), 400, "REACTION_DOES_NOT_EXIST");
    expectSuccess(await react(bob, id, { emoji_name: "tada" }));
    expectError(await react(bob, id, { emoji_name: "tada" }), 400, "REACTION_ALREADY_EXISTS");
    expectSuccess(await unreact(bob, id, { emoji_code: "1f389", reaction_type: "unicode_emoji" }));
  });

  it("names and codes must belong together; unknown ones are refused", async () => {
    const id = await ada.say(channel, "hi", "talk");
    const wrong = [
      { emoji_name: "no_such_emoji" },
      { emoji_name: "tada", emoji_code: "1f600", reaction_type: "unicode_emoji" },
      { emoji_name: "tada", emoji_code: "zzzz", reaction_type: "unicode_emoji" },
      { emoji_name: "mine", emoji_code: "4711", reaction_type: "realm_emoji" },
      { emoji_name: "tada", emoji_code: "1f389", reaction_type: "zulip_extra_emoji" },
    ];
    for (const params of wrong) expectError(await react(bob, id, params), 400, "BAD_REQUEST");
    expectError(await react(bob, id, {}), 400, "REQUEST_VARIABLE_MISSING");
    expectError(await react(bob, id, { emoji_name: "tada", reaction_type: "smoke_signal" }), 400);
    expectError(await unreact(bob, id, {}), 400, "BAD_REQUEST");
    expectSuccess(
      await react(bob, id, { emoji_name: "zulip", emoji_code: "zulip", reaction_type: "zulip_extra_emoji" }),
    );
    expect(await reactionsOn(id)).toMatchObject([{ emoji_code: "zulip", reaction_type: "zulip_extra_emoji" }]);
  });

  it("whoever joins a reaction takes its name", async () => {
    const id = await ada.say(channel, "hi", "talk");
    expectSuccess(await react(ada, id, { emoji_name: "thumbs_up" }));
    expectSuccess(await react(bob, id, { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" }));
    const names = ((await reactionsOn(id)) as { emoji_name: string }[]).map(({ emoji_name }) => emoji_name);
    expect(new Set(names).size).toBe(1);
  });

  it("a message that cannot be read cannot be reacted to", async () => {
    const id = await ada.say(channel, "members only", "talk");
    expectError(await react(guest, id, { emoji_name: "tada" }), 400, "BAD_REQUEST");
    const direct = expectSuccess(await ada.client.post("/messages", { type: "direct", to: [bob.id], content: "x" }));
    expectError(await react(eve, direct["id"] as number, { emoji_name: "tada" }), 400, "BAD_REQUEST");
    expectError(await unreact(eve, direct["id"] as number, { emoji_name: "tada" }), 400, "BAD_REQUEST");
  });

  it("a reader of a public channel who is not subscribed hears of their own reaction", async () => {
    const id = await ada.say(channel, "open", "talk");
    const { eventsOf } = await assertConverges({
      observers: [eve.client, bob.client],
      act: async () => expectSuccess(await react(eve, id, { emoji_name: "tada" })),
    });
    expect(eventsOf(eve.client)).toHaveLength(1);
    expect(eventsOf(bob.client)).toHaveLength(1);
  });

  it("automatically_follow_topics_policy 1: taking part by a reaction follows the topic", async () => {
    const id = await ada.say(channel, "follow me", "followed by reaction");
    expectSuccess(await bob.client.patch("/settings", { automatically_follow_topics_policy: 1 }));
    const { eventsOf } = await assertConverges({
      observers: [bob.client],
      act: async () => expectSuccess(await react(bob, id, { emoji_name: "tada" })),
    });
    expect(eventsOf(bob.client, MODERN).find(({ type }) => type === "user_topic")).toMatchObject({
      topic_name: "followed by reaction",
      visibility_policy: 3,
    });
  });

  it("protected history: who came later does not hear of reactions to what was before", async () => {
    const vault = await server.addChannel("vault", [ada], { invite_only: true, history_public_to_subscribers: false });
    const id = await ada.say(vault, "early", "t");
    expectSuccess(
      await ada.client.post("/users/me/subscriptions", { subscriptions: [{ name: "vault" }], principals: [bob.id] }),
    );
    expectError(await react(bob, id, { emoji_name: "tada" }), 400, "BAD_REQUEST");
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await react(ada, id, { emoji_name: "tada" })),
    });
    expect(eventsOf(bob.client)).toEqual([]);
  });
});

describe("submessages", () => {
  const part = (person: Person, id: number, content: unknown, msg_type = "widget") =>
    person.client.post("/submessage", {
      message_id: id,
      msg_type,
      content: typeof content === "string" ? content : JSON.stringify(content),
    });
  const vote = { type: "vote", key: "canned,0", vote: 1 };

  it("submessage: a vote on a poll is told to the message's readers and kept", async () => {
    const id = await ada.say(channel, "/poll Lunch?\npizza\nsoup", "talk");
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client, eve.client],
      act: async () => expectSuccess(await part(bob, id, vote)),
    });
    expect(eventsOf(ada.client, MODERN)).toMatchObject([
      { type: "submessage", msg_type: "widget", message_id: id, sender_id: bob.id, content: JSON.stringify(vote) },
    ]);
    expect(eventsOf(eve.client)).toEqual([]);
    const { message } = expectSuccess(await ada.client.get(`/messages/${id}`));
    const { submessages } = message as { submessages: { sender_id: number; content: string }[] };
    expect(submessages.map(({ sender_id }) => sender_id)).toEqual([ada.id, bob.id]);
    expect(JSON.parse(submessages[0]!.content)).toEqual({
      widget_type: "poll",
      extra_data: { question: "Lunch?", options: ["pizza", "soup"] },
    });
  });

  it("the first part is the sender's: an ordinary message takes none from others", async () => {
    const id = await ada.say(channel, "no poll", "talk");
    expectError(await part(bob, id, vote), 400, "BAD_REQUEST");
  });

  it("content must be JSON of a known form; the question is its author's", async () => {
    const id = await ada.say(channel, "/poll Q\na", "talk");
    for (const content of ["not json", "[]", { type: "explode" }, { type: "vote", key: 3 }, { type: "toString" }])
      expectError(await part(bob, id, content), 400, "BAD_REQUEST");
    expectError(await part(bob, id, { type: "question", question: "Mine?" }), 400, "BAD_REQUEST");
    expectSuccess(await part(ada, id, { type: "question", question: "Better?" }));
    expectError(await part(bob, id, vote, "other"), 400, "BAD_REQUEST");
    const list = await ada.say(channel, "/todo Chores\nsweep: the floor", "talk");
    expectSuccess(await part(bob, list, { type: "new_task", key: 1, task: "dust", desc: "", completed: false }));
    expectError(await part(bob, list, { type: "new_task_list_title", title: "Mine" }), 400, "BAD_REQUEST");
  });

  it("a message that cannot be read takes no parts", async () => {
    const direct = expectSuccess(
      await ada.client.post("/messages", { type: "direct", to: [bob.id], content: "/poll Q\na" }),
    );
    expectError(await part(eve, direct["id"] as number, vote), 400, "BAD_REQUEST");
  });
});

const react = (person: Person, id: number, params: Record<string, unknown>) =>
  person.client.post(`/messages/${id}/reactions`, params);
const unreact = (person: Person, id: number, params: Record<string, unknown>) =>
  person.client.delete(`/messages/${id}/reactions`, params);
async function reactionsOn(id: number): Promise<unknown> {
  const { message } = expectSuccess(await ada.client.get(`/messages/${id}`));
  return (message as { reactions: unknown }).reactions;
}
