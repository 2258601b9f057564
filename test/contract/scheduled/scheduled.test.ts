/** Scheduled messages and reminders. https://zulip.com/api/create-scheduled-message */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ada, bob, eve] = server.people("Ada", "Bob", "Eve");
const channel = server.channel("room", [ada, bob]);

describe("scheduled messages", () => {
  it("added for a channel, told to the sender's own clients alone", async () => {
    const { eventsOf, result } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await schedule(ada, toChannel({ content: "**later**" }))),
    });
    const record = {
      scheduled_message_id: idOf(result),
      type: "stream",
      to: channel.id,
      topic: "plans",
      content: "**later**",
      rendered_content: "<p><strong>later</strong></p>",
      failed: false,
    };
    expect(eventsOf(ada.client, MODERN)).toMatchObject([{ op: "add", scheduled_messages: [record] }]);
    expect(eventsOf(bob.client)).toEqual([]);
    expect(await scheduled(ada)).toMatchObject([record]);
    expect(await scheduled(bob)).toEqual([]);
    await assertConverges({
      observers: [ada.client],
      act: async () => expectSuccess(await ada.client.delete(`/scheduled_messages/${idOf(result)}`)),
    });
    expect(await scheduled(ada)).toEqual([]);
  });

  it("direct ones keep the other people; oneself alone is oneself", async () => {
    const id = idOf(expectSuccess(await schedule(ada, { type: "direct", to: [bob.id, ada.id] })));
    const own = idOf(expectSuccess(await schedule(ada, { type: "private", to: [ada.id] })));
    const [first, second] = await scheduled(ada);
    expect(first).toMatchObject({ type: "private", to: [bob.id] });
    expect(first).not.toHaveProperty("topic");
    expect(second).toMatchObject({ to: [ada.id] });
    for (const gone of [id, own]) expectSuccess(await ada.client.delete(`/scheduled_messages/${gone}`));
  });

  it("what could not be sent now cannot be scheduled, nor can the past", async () => {
    expectError(await schedule(ada, toChannel({ scheduled_delivery_timestamp: now() - 5 })), 400, "BAD_REQUEST");
    expectError(await schedule(ada, toChannel({ content: "  " })), 400, "BAD_REQUEST");
    expectError(await schedule(ada, toChannel({ to: 999_999 })), 400, "STREAM_DOES_NOT_EXIST");
    expectError(await schedule(ada, { type: "direct", to: [99_999] }), 400, "BAD_REQUEST");
    expectError(await schedule(ada, { type: "direct", to: [] }), 400, "BAD_REQUEST");
    const hidden = await server.addChannel("hidden", [bob], { invite_only: true });
    expectError(await schedule(ada, toChannel({ to: hidden })), 400, "STREAM_DOES_NOT_EXIST");
    expectError(await ada.client.post("/scheduled_messages", toChannel()), 400, "REQUEST_VARIABLE_MISSING");
    expect(await scheduled(ada)).toEqual([]);
  });

  it("changes what is given, tells the sender, and needs a recipient and topic for another type", async () => {
    const id = idOf(expectSuccess(await schedule(ada, { type: "direct", to: [bob.id] })));
    const update = (params: Record<string, unknown>, person = ada) =>
      person.client.patch(`/scheduled_messages/${id}`, params);
    expectError(await update({}), 400, "BAD_REQUEST");
    expectError(await update({ type: "channel" }), 400, "BAD_REQUEST");
    expectError(await update({ type: "channel", to: channel.id }), 400, "BAD_REQUEST");
    expectError(await update({ scheduled_delivery_timestamp: now() - 9 }), 400, "BAD_REQUEST");
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () =>
        expectSuccess(await update({ type: "channel", to: channel.id, topic: "moved", content: "other" })),
    });
    expect(eventsOf(ada.client, MODERN)).toMatchObject([
      {
        op: "update",
        scheduled_message: {
          scheduled_message_id: id,
          type: "stream",
          to: channel.id,
          topic: "moved",
          content: "other",
        },
      },
    ]);
    expect(eventsOf(bob.client)).toEqual([]);
    expectError(await update({ content: "mine" }, bob), 404);
    expectError(await bob.client.delete(`/scheduled_messages/${id}`), 404);
    expectError(await ada.client.delete("/scheduled_messages/999999"), 404);
    expectSuccess(await ada.client.delete(`/scheduled_messages/${id}`));
  });

  it("is sent when it is due, as an ordinary message, and is scheduled no more", async () => {
    const queue = await ada.queue({ event_types: ["scheduled_messages", "message"] });
    const readers = await bob.queue({ event_types: ["message"] });
    const reply = await schedule(ada, toChannel({ content: "at last" }));
    const id = idOf(expectSuccess(reply));
    await server.makeDue(id);
    const event = await bob.client.nextEvent(readers, ({ type }) => type === "message");
    expect(event["message"]).toMatchObject({
      sender_id: ada.id,
      stream_id: channel.id,
      subject: "plans",
      content: "at last",
    });
    const removed = await ada.client.nextEvent(queue, ({ op }) => op === "remove");
    expect(removed).toMatchObject({ scheduled_message_id: id });
    expect(await scheduled(ada)).toEqual([]);
  });

  it("one that may not be sent any more is kept as failed, and the sender is told", async () => {
    const id = idOf(expectSuccess(await schedule(ada, toChannel({ content: "too late" }))));
    const queue = await ada.queue({ event_types: ["scheduled_messages", "message"], apply_markdown: false });
    const { user_groups } = expectSuccess(await server.owner.client.get("/user_groups"));
    const group = (name: string) =>
      (user_groups as { id: number; name: string }[]).find((one) => one.name === name)!.id;
    const allow = (name: string) =>
      server.owner.client.patch(`/streams/${channel.id}`, { can_send_message_group: { new: group(name) } });
    expectSuccess(await allow("role:administrators"));
    await server.makeDue(id);
    const failed = await ada.client.nextEvent(queue, ({ op }) => op === "update");
    expect(failed).toMatchObject({ scheduled_message: { scheduled_message_id: id, failed: true } });
    const notice = await ada.client.nextEvent(queue, ({ type }) => type === "message");
    expect(notice["message"]).toMatchObject({ sender_full_name: "Notification Bot", type: "private" });
    expectSuccess(await allow("role:everyone"));
    expectError(await ada.client.patch(`/scheduled_messages/${id}`, { content: "again" }), 400, "BAD_REQUEST");
    const retry = { content: "again", scheduled_delivery_timestamp: later() };
    expectSuccess(await ada.client.patch(`/scheduled_messages/${id}`, retry));
    expect(await scheduled(ada)).toMatchObject([{ failed: false, content: "again" }]);
    expectSuccess(await ada.client.delete(`/scheduled_messages/${id}`));
  });
});

describe("reminders", () => {
  async function send(person: Person, content: string): Promise<number> {
    const params = { type: "channel", to: JSON.stringify(channel.id), topic: "plans", content };
    return expectSuccess(await person.client.post("/messages", params))["id"] as number;
  }
  const remind = (person: Person, message_id: number, params: Record<string, unknown> = {}) =>
    person.client.post("/reminders", { message_id, scheduled_delivery_timestamp: later(), ...params });

  it("added, listed and taken back, told to the person alone", async () => {
    const message = await send(bob, "do this");
    const { eventsOf, result } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await remind(ada, message, { note: "soon" })),
    });
    const [event] = eventsOf(ada.client, MODERN);
    expect(event).toMatchObject({
      type: "reminders",
      op: "add",
      reminders: [
        { reminder_id: result["reminder_id"], to: [ada.id], reminder_target_message_id: message, failed: false },
      ],
    });
    expect(eventsOf(bob.client)).toEqual([]);
    const { reminders } = expectSuccess(await ada.client.get("/reminders"));
    expect(reminders).toHaveLength(1);
    expect(await scheduled(ada)).toEqual([]);
    expectError(await bob.client.delete(`/reminders/${result["reminder_id"] as number}`), 404);
    expectError(await ada.client.delete(`/scheduled_messages/${result["reminder_id"] as number}`), 404);
    await assertConverges({
      observers: [ada.client],
      act: async () => expectSuccess(await ada.client.delete(`/reminders/${result["reminder_id"] as number}`)),
    });
  });

  it("needs a message that the person can read, a time to come, and a note of at most 500 code points", async () => {
    const message = await send(bob, "x");
    const direct = expectSuccess(await ada.client.post("/messages", { type: "direct", to: [bob.id], content: "x" }));
    expectError(await remind(eve, direct["id"] as number), 400, "BAD_REQUEST");
    expectError(await remind(ada, 99_999_999), 400, "BAD_REQUEST");
    expectError(await remind(ada, message, { scheduled_delivery_timestamp: now() - 1 }), 400, "BAD_REQUEST");
    expectError(await remind(ada, message, { note: "😀".repeat(501) }), 400, "BAD_REQUEST");
  });

  it("when it is due the notification bot shows the message again, with the note and a link", async () => {
    const message = await send(bob, "the thing to do");
    const queue = await ada.queue({ event_types: ["message", "reminders"] });
    const reply = await remind(ada, message, { note: "do it" });
    const { reminder_id } = expectSuccess(reply);
    await server.makeDue(reminder_id as number);
    await ada.client.nextEvent(queue, ({ op }) => op === "add");
    const removed = await ada.client.nextEvent(queue, ({ op }) => op === "remove");
    expect(removed).toMatchObject({ type: "reminders", reminder_id });
    const shown = await ada.client.nextEvent(queue, ({ type }) => type === "message");
    const { content, sender_full_name } = shown["message"] as { content: string; sender_full_name: string };
    expect(sender_full_name).toBe("Notification Bot");
    for (const part of ["the thing to do", "do it", `#**room>plans@${message}**`]) expect(content).toContain(part);
  });

  it("when its message is gone the person is told so, with their note", async () => {
    const message = await send(bob, "soon gone");
    const queue = await ada.queue({ event_types: ["message", "reminders"] });
    const { reminder_id } = expectSuccess(await remind(ada, message, { note: "buy figs" }));
    expectSuccess(await server.owner.client.delete(`/messages/${message}`));
    await server.makeDue(reminder_id as number);
    const shown = await ada.client.nextEvent(queue, ({ type }) => type === "message");
    const { content } = shown["message"] as { content: string };
    expect(content).toMatch(/reminded of a message that was deleted/);
    expect(content).toContain("buy figs");
    expect(content).not.toContain("soon gone");
    expect(expectSuccess(await ada.client.get("/reminders"))["reminders"]).toEqual([]);
  });
});

const now = () => Math.floor(Date.now() / 1000);
const later = () => now() + 3600;
const schedule = (person: Person, params: Record<string, unknown>) =>
  person.client.post("/scheduled_messages", { scheduled_delivery_timestamp: later(), content: "later", ...params });
const toChannel = (params: Record<string, unknown> = {}) => ({
  type: "channel",
  to: channel.id,
  topic: "plans",
  ...params,
});
async function scheduled(person: Person): Promise<Record<string, unknown>[]> {
  return expectSuccess(await person.client.get("/scheduled_messages"))["scheduled_messages"] as Record<
    string,
    unknown
  >[];
}
const idOf = (reply: Record<string, unknown>) => reply["scheduled_message_id"] as number;
