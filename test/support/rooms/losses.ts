/** Ways in which somebody loses a message that they could read, and everything that they may then try. */
import { expectSuccess, type JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import type { TestServer } from "../server/server.ts";

/** What happens in one loss. */
export interface Loss {
  name: string;
  /** Makes the channel that the message is sent to. Bob may read what is sent there. */
  begin: (bob: Person) => Promise<number>;
  /** Takes the message from Bob. Returns the channel that it is in afterwards. */
  lose: (bob: Person, channel: number, message: number) => Promise<number>;
}

export function losses(server: TestServer, ann: Person): Loss[] {
  const { owner } = server;
  let made = 0;
  const add = (people: Person[], params: JsonObject = {}) =>
    server.addChannel(`room ${made++}`, [owner, ...people], params);
  const set = async (channel: number, params: JsonObject) =>
    expectSuccess(await owner.client.patch(`/streams/${channel}`, params));
  const nameOf = async (channel: number) => (await owner.channelOf(channel))["name"] as string;
  const leave = async (by: Person, bob: Person, channel: number) =>
    expectSuccess(
      await by.client.delete("/users/me/subscriptions", {
        subscriptions: [await nameOf(channel)],
        ...(by !== bob && { principals: [bob.id] }),
      }),
    );
  const move = async (message: number, stream_id: number) => {
    const notices = { send_notification_to_new_thread: false, send_notification_to_old_thread: false };
    expectSuccess(await owner.client.patch(`/messages/${message}`, { stream_id, ...notices }));
    return stream_id;
  };
  const setRole = async (bob: Person, role: number) =>
    expectSuccess(await owner.client.patch(`/users/${bob.id}`, { role }));
  const close = async (channel: number) => {
    await set(channel, { is_private: true, history_public_to_subscribers: true });
    return channel;
  };
  const isPrivate = { invite_only: true, history_public_to_subscribers: true };
  const isProtected = { invite_only: true, history_public_to_subscribers: false };
  /** A private channel that is Bob's to read by a group in a group. */
  const groups = { inner: 0, outer: 0 };
  const addForGroup = async (bob: Person, setting: string) => {
    groups.inner = await owner.group(`readers ${made++}`, { members: [bob.id] });
    groups.outer = await owner.group(`all readers ${made++}`, { subgroups: [groups.inner] });
    return add([ann], { ...isPrivate, [setting]: groups.outer });
  };
  return [
    {
      name: "its topic was moved to a public channel, which became private",
      begin: (bob) => add([ann, bob]),
      lose: async (_bob, _from, message) => close(await move(message, await add([ann]))),
    },
    {
      name: "it was moved to a public channel, and they became a guest",
      begin: (bob) => add([ann, bob]),
      lose: async (bob, _from, message) => {
        const into = await move(message, await add([ann]));
        await setRole(bob, 600);
        return into;
      },
    },
    {
      name: "it was moved to a private channel",
      begin: (bob) => add([ann, bob]),
      lose: async (_bob, _from, message) => move(message, await add([ann], isPrivate)),
    },
    {
      name: "it was moved to a web-public channel, which became private",
      begin: (bob) => add([ann, bob]),
      lose: async (_bob, _from, message) => {
        const into = await move(message, await add([ann], { is_web_public: true }));
        await set(into, { is_web_public: false });
        return close(into);
      },
    },
    {
      name: "they left the private channel",
      begin: (bob) => add([ann, bob], isPrivate),
      lose: async (bob, channel) => {
        await leave(bob, bob, channel);
        return channel;
      },
    },
    {
      name: "they were taken out of a private channel with protected history",
      begin: (bob) => add([ann, bob], isProtected),
      lose: async (bob, channel) => {
        await leave(owner, bob, channel);
        return channel;
      },
    },
    {
      name: "they left a public channel, which became private",
      begin: (bob) => add([ann, bob]),
      lose: async (bob, channel) => {
        await leave(bob, bob, channel);
        return close(channel);
      },
    },
    {
      name: "they read it without being subscribed, and became a guest",
      begin: () => add([ann]),
      lose: async (bob, channel) => {
        await setRole(bob, 600);
        return channel;
      },
    },
    {
      name: "they never received it, and its history is protected now",
      begin: async () => add([ann]),
      lose: async (bob, channel) => {
        await set(channel, { is_private: true, history_public_to_subscribers: false });
        const subscriptions = [{ name: await nameOf(channel) }];
        expectSuccess(await owner.client.post("/users/me/subscriptions", { subscriptions, principals: [bob.id] }));
        return channel;
      },
    },
    {
      name: "they lost the group that may subscribe",
      begin: (bob) => addForGroup(bob, "can_subscribe_group"),
      lose: async (bob, channel) => {
        expectSuccess(await owner.client.post(`/user_groups/${groups.inner}/members`, { delete: [bob.id] }));
        return channel;
      },
    },
    {
      name: "their group is not in the one any more that may add subscribers",
      begin: (bob) => addForGroup(bob, "can_add_subscribers_group"),
      lose: async (_bob, channel) => {
        expectSuccess(await owner.client.post(`/user_groups/${groups.outer}/subgroups`, { delete: [groups.inner] }));
        return channel;
      },
    },
    {
      name: "it went to where they are not while they were deactivated",
      begin: (bob) => add([ann, bob]),
      lose: async (bob, _from, message) => {
        expectSuccess(await owner.client.delete(`/users/${bob.id}`));
        const into = await close(await move(message, await add([ann])));
        expectSuccess(await owner.client.post(`/users/${bob.id}/reactivate`));
        return into;
      },
    },
  ];
}

/** A message to look for, as it is now. */
export interface Target {
  id: number;
  channel: number;
  topic: string;
  /** A word of its text. */
  word: string;
  sender: Person;
  /** Somebody who has nothing to do with it. */
  other: Person;
}

/** Narrows that have the message for whoever may read it, and starred it, and is mentioned. */
export function narrowsWith({ id, channel, topic, word, sender, other }: Target): JsonObject[][] {
  const term = (operator: string, operand: unknown, negated = false) => ({ operator, operand, negated });
  const bySender = term("sender", sender.id);
  return [
    [],
    [bySender],
    [term("search", word)],
    [term("id", id)],
    [term("near", id)],
    [term("with", id)],
    [term("topic", topic)],
    [term("channel", channel)],
    [term("channel", channel), term("topic", topic)],
    [term("in", "home")],
    [term("in", "all")],
    [term("is", "starred")],
    [term("is", "mentioned")],
    [term("is", "alerted")],
    [term("has", "link")],
    [term("has", "reaction")],
    [term("has", "attachment")],
    [term("is", "dm", true)],
    [term("is", "resolved", true)],
    [term("is", "muted", true)],
    [term("has", "image", true)],
    [term("sender", other.id, true)],
    [term("search", "nowhere", true)],
    [term("channels", "web-public", true)],
    [term("dm", [other.id], true)],
    [bySender, term("search", word)],
    [bySender, term("topic", topic)],
    [term("is", "starred"), term("id", id)],
    [term("is", "mentioned"), term("is", "dm", true)],
    [term("has", "link"), bySender, term("in", "home")],
  ];
}

/** Requests about one message that only those may make who may read it. */
export function requestsAbout({ id, channel, topic }: Target, file: string) {
  type Ask = (who: Person) => Promise<{ status: number; text: string }>;
  const emoji = { emoji_name: "tada" };
  const later = Math.floor(Date.now() / 1000) + 86_400;
  const asks: Record<string, Ask> = {
    "the message": (who) => who.client.get(`/messages/${id}`),
    "its history": (who) => who.client.get(`/messages/${id}/history`),
    "its receipts": (who) => who.client.get(`/messages/${id}/read_receipts`),
    "a star": (who) => who.client.post("/messages/flags", { messages: [id], op: "add", flag: "starred" }),
    "a star less": (who) => who.client.post("/messages/flags", { messages: [id], op: "remove", flag: "starred" }),
    collapsing: (who) => who.client.post("/messages/flags", { messages: [id], op: "add", flag: "collapsed" }),
    "a reaction": (who) => who.client.post(`/messages/${id}/reactions`, emoji),
    "a reaction less": (who) => who.client.delete(`/messages/${id}/reactions`, emoji),
    "a report": (who) => who.client.post(`/messages/${id}/report`, { report_type: "spam" }),
    "a reminder": (who) =>
      who.client.post("/reminders", { message_id: id, scheduled_delivery_timestamp: later, note: "n" }),
    "an edit": (who) => who.client.patch(`/messages/${id}`, { content: "mine" }),
    "a move": (who) => who.client.patch(`/messages/${id}`, { topic: "mine" }),
    "typing an edit": (who) => who.client.post(`/messages/${id}/typing`, { op: "start" }),
    "a submessage": (who) =>
      who.client.post("/submessage", { message_id: id, msg_type: "widget", content: '{"type":"vote"}' }),
    "its topics": (who) => who.client.get(`/users/me/${channel}/topics`),
    "its file": (who) => who.client.get(file, {}, { root: true }),
    "its file's address": (who) => who.client.get(file),
    deletion: (who) => who.client.delete(`/messages/${id}`),
    "the topic's deletion": (who) => who.client.post(`/streams/${channel}/delete_topic`, { topic_name: topic }),
  };
  return asks;
}
