import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { receivedBy } from "../../../actors/realm/recipients.ts";
import { type ApiResponse, cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import type { WireEvent } from "../../support/convergence/client-state.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { channelRoom } from "../../support/rooms/channels.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["streams"] });
const room = channelRoom(server);
const { owner, admin, creator, subscriber, other, guest, groups } = room;
const { newName, newChannel, update, isDefault } = room;

describe("PATCH /streams: convergence and audience", () => {
  const everybody = () => [admin, creator, subscriber, other, guest].map(({ client }) => client);

  it.each<[string, JsonObject]>([
    ["a name", { new_name: "a new name" }],
    ["a description", { description: "**important**" }],
    ["who may post", { can_send_message_group: { new: "administrators" } }],
    ["several at once", { description: "all", new_name: "several", topics_policy: "disable_empty_topic" }],
  ])("%s", async (_what, params) => {
    const { id } = await newChannel({ subscribers: [creator.id, subscriber.id, guest.id] });
    await creator.say(id, "Hello", "before");
    const given =
      "can_send_message_group" in params ? { can_send_message_group: { new: groups["role:administrators"] } } : params;
    await assertConverges({
      observers: everybody(),
      profiles: [LEGACY, MODERN],
      act: async () => expectSuccess(await update(creator, id, given)),
    });
  });

  it.each<[string, unknown, unknown]>([
    ["message_retention_days", 30, 30],
    ["message_retention_days", "unlimited", -1],
    ["message_retention_days", "realm_default", null],
    ["topics_policy", "empty_topic_only", "empty_topic_only"],
  ])("%s=%j is told as it is kept", async (property, asked, kept) => {
    const { id, name } = await newChannel();
    if (kept === null) expectSuccess(await update(admin, id, { [property]: 30 }));
    const { eventsOf } = await assertConverges({
      observers: [subscriber.client],
      act: async () => expectSuccess(await update(admin, id, { [property]: asked })),
    });
    expect(eventsOf(subscriber.client)).toMatchObject([
      { type: "stream", op: "update", stream_id: id, name, property, value: kept },
    ]);
  });

  it("an event for each property, with what belongs to it, to those who see the channel", async () => {
    const { id, name } = await newChannel({ invite_only: true });
    const watch = async (person: Person) => await person.queue({ event_types: ["stream"], client_capabilities: {} });
    const [mine, theirs] = [await watch(subscriber), await watch(other)];
    expectSuccess(
      await update(creator, id, {
        new_name: `${name} renamed`,
        description: "*new*",
        history_public_to_subscribers: true,
        can_send_message_group: { new: groups["role:administrators"] },
      }),
    );
    const events = (await subscriber.drain(mine)).filter(({ property }) => property !== "first_message_id");
    expect(events.map(({ id: _, ...event }) => event)).toEqual([
      { type: "stream", op: "update", stream_id: id, name, property: "name", value: `${name} renamed` },
      {
        type: "stream",
        op: "update",
        stream_id: id,
        name: `${name} renamed`,
        property: "description",
        value: "*new*",
        rendered_description: "<p><em>new</em></p>",
      },
      {
        type: "stream",
        op: "update",
        stream_id: id,
        name: `${name} renamed`,
        property: "invite_only",
        value: true,
        history_public_to_subscribers: true,
        is_web_public: false,
      },
      {
        type: "stream",
        op: "update",
        stream_id: id,
        name: `${name} renamed`,
        property: "can_send_message_group",
        value: groups["role:administrators"],
      },
      {
        type: "stream",
        op: "update",
        stream_id: id,
        name: `${name} renamed`,
        property: "stream_post_policy",
        value: 2,
      },
    ]);
    expect(await other.drain(theirs)).toEqual([]);
  });

  it("a public channel that becomes private is gone for those who are not in it", async () => {
    const { id } = await newChannel();
    const seen = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { is_private: true })),
    });
    expect(kindsOf(seen.eventsOf(other.client))).toEqual(["stream/delete"]);
    expect(kindsOf(seen.eventsOf(guest.client))).toEqual([]);
    expect(kindsOf(seen.eventsOf(admin.client))).toContain("stream/update");
    expect(kindsOf(seen.eventsOf(admin.client))).not.toContain("stream/delete");
  });

  it("a private channel that becomes public appears to members, with its subscribers, and not to guests", async () => {
    const { id } = await newChannel({ invite_only: true });
    const seen = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { is_private: false })),
    });
    expect(kindsOf(seen.eventsOf(other.client)).slice(0, 2)).toEqual(["stream/create", "subscription/peer_add"]);
    expect(kindsOf(seen.eventsOf(guest.client))).toEqual([]);
  });

  it("a permission that gives sight of a private channel shows it, and taking it back hides it", async () => {
    const { id } = await newChannel({ invite_only: true });
    const name = "can_add_subscribers_group";
    const allow = { new: { direct_members: [other.id], direct_subgroups: [] } };
    const shown = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { [name]: allow })),
    });
    expect(kindsOf(shown.eventsOf(other.client))).toContain("stream/create");
    expect(kindsOf(shown.eventsOf(guest.client))).toEqual([]);
    const hidden = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { [name]: { new: groups["role:nobody"] } })),
    });
    expect(kindsOf(hidden.eventsOf(other.client))).toEqual(["stream/delete"]);
  });

  it("a web-public channel appears to guests", async () => {
    const { id } = await newChannel();
    await owner.setRealm({ enable_spectator_access: true });
    try {
      const seen = await assertConverges({
        observers: everybody(),
        act: async () => expectSuccess(await update(owner, id, { is_web_public: true })),
      });
      expect(kindsOf(seen.eventsOf(guest.client)).slice(0, 2)).toEqual(["stream/create", "subscription/peer_add"]);
    } finally {
      await owner.setRealm({ enable_spectator_access: false });
    }
  });

  it("archiving and unarchiving", async () => {
    const { id } = await newChannel();
    expectSuccess(await update(admin, id, { is_default_stream: true }));
    const archived = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await creator.client.delete(`/streams/${id}`)),
    });
    expect(kindsOf(archived.eventsOf(other.client))).toContain("stream/delete");
    expect(await isDefault(id)).toBe(false);
    const back = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(admin, id, { is_archived: false })),
    });
    expect(kindsOf(back.eventsOf(other.client))).toEqual(
      expect.arrayContaining(["stream/create", "subscription/peer_add"]),
    );
    expect(kindsOf(back.eventsOf(subscriber.client))).toEqual(
      expect.arrayContaining(["stream/create", "subscription/add"]),
    );
  });

  it("an archived channel's changes are not told to clients that do not know of archived channels", async () => {
    const { id } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { is_private: true, description: "put away" })),
    });
    await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(admin, id, { is_archived: false })),
    });
  });

  it("a client that hears of subscriptions alone leaves the archived channel and is in it again", async () => {
    const { id, name } = await newChannel();
    const queue = await subscriber.queue({ event_types: ["subscription"] });
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    expectSuccess(await update(admin, id, { is_archived: false }));
    const [left, joined] = await subscriber.drain(queue);
    expect(left).toMatchObject({ type: "subscription", op: "remove", subscriptions: [{ stream_id: id, name }] });
    expect(joined).toMatchObject({ type: "subscription", op: "add", subscriptions: [{ stream_id: id, name }] });
  });
});

describe("audiences: what the log gives back to a queue that returns", () => {
  it("is what it was given live, while people gained and lost sight of channels", async () => {
    const realm = await server.realm();
    const people = [admin, creator, subscriber, other, guest];
    const { id, name } = await newChannel();
    const start = realm.position;
    const queues = await Promise.all(
      people.map(async ({ client }) => cursorOf(await client.register({ event_types: ["stream", "subscription"] }))),
    );
    const subscribe = { subscriptions: [{ name }], principals: [other.id, guest.id] };
    const unsubscribe = { subscriptions: [name], principals: [other.id, guest.id] };
    expectSuccess(await update(creator, id, { is_private: true }));
    expectSuccess(await creator.client.post("/users/me/subscriptions", subscribe));
    expectSuccess(await update(creator, id, { description: "seen by five" }));
    expectSuccess(await creator.client.delete("/users/me/subscriptions", unsubscribe));
    expectSuccess(await update(creator, id, { description: "seen by three" }));
    const invite = { direct_members: [other.id], direct_subgroups: [] };
    expectSuccess(await update(creator, id, { can_subscribe_group: { new: invite } }));
    expectSuccess(await update(creator, id, { is_private: false }));
    expectSuccess(await update(creator, id, { is_private: true, can_subscribe_group: { new: groups["role:nobody"] } }));
    expectSuccess(await update(creator, id, { description: "seen by three again" }));
    const entries = realm.loaded!.recent.after(start);
    // Between leaving a private channel and being told that it is gone, who else left makes no difference.
    const matters = (event: { type: string; op?: unknown }) =>
      ["stream", "subscription"].includes(event.type) && event.op !== "peer_remove";
    for (const [index, person] of people.entries()) {
      const live = await person.drain(queues[index]!);
      const user = realm.state.users.get(person.id)!;
      const again = receivedBy(realm.state, entries, user, false).filter(({ event }) => matters(event!));
      expect(again.map(({ position }) => position)).toEqual(live.filter(matters).map((event) => event.id));
    }
  });
});

describe("DELETE /streams", () => {
  it("archives: nobody posts there, the name is free, and the second time is an error", async () => {
    const { id, name } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    expectError(await creator.client.delete(`/streams/${id}`), 400, "BAD_REQUEST");
    expectError(
      await creator.client.post("/messages", { type: "stream", to: id, topic: "t", content: "Hi" }),
      400,
      "BAD_REQUEST",
    );
    await newChannel({ name });
  });

  it("announcements no longer go to an archived channel", async () => {
    const { id } = await newChannel();
    await owner.setRealm({ new_stream_announcements_stream_id: id });
    const queue = await other.queue({ event_types: ["realm"] });
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    const events = await other.drain(queue);
    expect(events).toEqual([
      expect.objectContaining({
        type: "realm",
        op: "update",
        property: "new_stream_announcements_stream_id",
        value: -1,
      }),
    ]);
  });
});

describe("notices of the notification bot", () => {
  beforeAll(() => owner.setRealm({ send_channel_events_messages: true }));
  afterAll(() => owner.setRealm({ send_channel_events_messages: false }));

  const noticesOf = async (id: number, act: () => Promise<unknown>): Promise<JsonObject[]> => {
    const queue = await subscriber.queue({ event_types: ["message"] });
    await act();
    const messages = (await subscriber.drain(queue)).map((event) => event["message"] as JsonObject);
    return messages.filter((message) => message["stream_id"] === id);
  };

  it("say in 'channel events' who renamed, described, hid or archived the channel, once each", async () => {
    const { id, name } = await newChannel();
    const said = async (act: () => Promise<ApiResponse>) => {
      const [notice, ...more] = await noticesOf(id, async () => expectSuccess(await act()));
      expect(more).toEqual([]);
      expect(notice).toMatchObject({ subject: "channel events", sender_full_name: "Notification Bot" });
      return notice!["content"] as string;
    };
    expect(await said(() => update(creator, id, { new_name: `${name}!` }))).toContain(`**${name}!**`);
    expect(await said(() => update(creator, id, { description: "new purpose" }))).toContain("> new purpose");
    expect(await said(() => update(creator, id, { is_private: true }))).toContain("**Private, protected history**");
    expect(await said(() => creator.client.delete(`/streams/${id}`))).toContain(`|${creator.id}**`);
    expect(await said(() => update(admin, id, { is_archived: false }))).toContain(`|${admin.id}**`);
  });

  it("are not sent into the archive: without archived_channels the channel is gone", async () => {
    const { id, name } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    const change = { new_name: `${name}!`, description: "put away", is_private: true };
    expect(await noticesOf(id, async () => expectSuccess(await update(admin, id, change)))).toEqual([]);
    const back = { is_archived: false, description: "in use" };
    expect(await noticesOf(id, async () => expectSuccess(await update(admin, id, back)))).toHaveLength(2);
  });

  it("mention nobody, whatever a name or description says", async () => {
    const { id } = await newChannel();
    const queue = await subscriber.queue({ event_types: ["message"], apply_markdown: true });
    const evil = `x** @**all** @**${subscriber.email}`;
    const description = "@**all** \r@**Sam Subscriber** \n\r\n@**topic**";
    expectSuccess(await update(creator, id, { new_name: evil.slice(0, 60), description }));
    const events = (await subscriber.drain(queue)).filter(
      (event) => (event["message"] as JsonObject)["stream_id"] === id,
    );
    expect(events).toHaveLength(2);
    for (const event of events) {
      expect(event["flags"]).toEqual([]);
      const html = (event["message"] as JsonObject)["content"] as string;
      for (const mention of html.match(/class="(user|topic)-mention[^"]*"/g) ?? []) expect(mention).toContain("silent");
    }
  });

  it("are not sent where nothing changed, nor where the organization wants none", async () => {
    const { id, name } = await newChannel();
    expect(await noticesOf(id, () => update(creator, id, { new_name: name, description: "" }))).toEqual([]);
    await owner.setRealm({ send_channel_events_messages: false });
    try {
      expect(await noticesOf(id, () => update(creator, id, { new_name: newName() }))).toEqual([]);
    } finally {
      await owner.setRealm({ send_channel_events_messages: true });
    }
  });

  it("go to the empty topic where no other is allowed, and are read by who caused them", async () => {
    const { id } = await newChannel({ topics_policy: "empty_topic_only" });
    const [notice] = await noticesOf(id, () => update(creator, id, { description: "quiet" }));
    expect(notice!["subject"]).toBe("general chat");
    const unread = async (person: Person) => {
      const state = await person.client.register({ fetch_event_types: ["message", "update_message_flags"] });
      return state
        .unread_msgs!.streams.flatMap((bucket) => bucket.unread_message_ids)
        .includes(notice!["id"] as number);
    };
    expect(await unread(creator)).toBe(false);
    expect(await unread(subscriber)).toBe(true);
  });
});

const kindsOf = (events: readonly WireEvent[]) => events.map(({ type, op }) => `${type}/${String(op)}`);
