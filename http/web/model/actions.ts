/** Actions on messages, conversations and channels. A refusal is shown in a note. */

import { storeOnce } from "../../client/persist.ts";
import { resolvedPrefix } from "../../client/state/resolved.ts";
import { sameTopic } from "../../client/state/unread.ts";
import type { Message, MessageId, Reaction, Reminder } from "../../client/types.ts";
import { t } from "../texts.ts";
import { ApiError, call, type Method, type Params, upload, wordsOf } from "../wire/api.ts";
import { type Conversation, conversationOf, type Narrow, narrowOf } from "../wire/narrow.ts";
import type { Ahead, Change } from "./ahead.ts";
import type { Channel, Channels } from "./channels.ts";
import type { Emoji } from "./emoji.ts";
import type { MessageLists } from "./message-lists.ts";
import type { People } from "./people.ts";
import type { Reading } from "./reading.ts";
import type { Route } from "./route.ts";
import type { Store } from "./store.ts";
import type { Ui } from "./ui.ts";

/** Messages of a narrow that one request marks. */
const largestMarking = 5000;

interface Parts {
  ui: Ui;
  store: Store;
  route: Route;
  people: People;
  channels: Channels;
  reading: Reading;
  ahead: Ahead;
  lists: MessageLists;
}

export interface TopicPlace {
  channelId: number;
  topic: string;
}

export class Actions {
  constructor(private readonly app: Parts) {}

  /** Calls the API. A refusal is shown to the person, and returns undefined. */
  try<T = object>(method: Method, path: string, params: Params = {}): Promise<T | undefined> {
    return this.#told(() => call<T>(method, path, params));
  }

  /** The same for a call that is made by `ask`, once or twice. */
  trying<T>(ask: () => Promise<T>): Promise<T | undefined> {
    return this.#told(ask);
  }

  /** Uploads a picture. A refusal is shown to the person, and returns undefined. */
  upload(path: string, file: File, params: Params = {}): Promise<object | undefined> {
    return this.#told(() => upload<object>(path, { file }, { params }));
  }

  /** Asks again once the person has shown who they are, where the server wants that. */
  async #told<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "REAUTHENTICATION_REQUIRED")
        return (await this.app.ui.askIdentity()) ? this.#told(ask) : undefined;
      this.app.ui.note(wordsOf(error), "problem");
      return undefined;
    }
  }

  /** Reminds the person of a message, once. @param at UNIX seconds. Returns whether the server agreed. */
  async remind(id: MessageId, at: number, note: string): Promise<boolean> {
    const params = { message_id: id, scheduled_delivery_timestamp: at, note };
    const isStored = async () => {
      const { reminders } = await call<{ reminders: Reminder[] }>("GET", "/reminders");
      return reminders.some((one) => one.reminder_target_message_id === id && one.scheduled_delivery_timestamp === at);
    };
    const stored = storeOnce(() => call("POST", "/reminders", params), isStored).then(() => true);
    return (await this.#told(() => stored)) === true;
  }

  /** As it is known by now: a second click comes before the view of the first one is drawn. */
  #now(message: Message): Message {
    return this.app.lists.cache.get(message.id) ?? message;
  }

  react(message: Message, emoji: Emoji | Reaction): Promise<unknown> {
    const [code, name, type] =
      "emoji_code" in emoji
        ? [emoji.emoji_code, emoji.emoji_name, emoji.reaction_type]
        : [emoji.code, emoji.name, emoji.type];
    const isMine = this.#now(message).reactions.some(
      (one) => one.user_id === this.app.people.myId && one.emoji_code === code && one.reaction_type === type,
    );
    const params = { emoji_name: name, emoji_code: code, reaction_type: type };
    const event = { id: -1, type: "reaction" as const, message_id: message.id, user_id: this.app.people.myId };
    const change: Change<"add" | "remove"> = {
      of: `reaction ${message.id} ${type} ${code}`,
      ...turned(!isMine),
      told: (op) => ({ ...event, ...params, op }),
    };
    return this.app.ahead.change(change, () =>
      this.try(isMine ? "DELETE" : "POST", `/messages/${message.id}/reactions`, params),
    );
  }

  star(message: Message): Promise<unknown> {
    return this.#turn(message, "starred");
  }

  /** Shows one line of a message, or all of it again. */
  collapse(message: Message): Promise<unknown> {
    return this.#turn(message, "collapsed");
  }

  #turn(message: Message, flag: "starred" | "collapsed"): Promise<unknown> {
    const params = { messages: [message.id], flag };
    const event = { id: -1, type: "update_message_flags" as const, all: false, ...params };
    const change: Change<"add" | "remove"> = {
      of: `${flag} ${message.id}`,
      ...turned(!this.#now(message).flags.includes(flag)),
      told: (op) => ({ ...event, op }),
    };
    return this.app.ahead.change(change, () => this.try("POST", "/messages/flags", { ...params, op: change.to }));
  }

  edit(id: MessageId, content: string): Promise<unknown> {
    return this.try("PATCH", `/messages/${id}`, { content });
  }

  delete(id: MessageId): Promise<unknown> {
    return this.try("DELETE", `/messages/${id}`);
  }

  /** Marks this message and all later ones of the narrow as unread. */
  async markUnreadFrom(message: Message): Promise<void> {
    this.app.reading.isPaused = true;
    await this.try("POST", "/messages/flags/narrow", {
      anchor: message.id,
      include_anchor: true,
      num_before: 0,
      num_after: 1000,
      narrow: narrowOf(this.#conversationOf(message)),
      op: "remove",
      flag: "read",
    });
  }

  #conversationOf(message: Message): Conversation {
    return message.type === "stream"
      ? { kind: "topic", channelId: message.stream_id, topic: message.subject }
      : { kind: "direct", userIds: message.display_recipient.map(({ id }) => id) };
  }

  async markRead(conversation: Conversation | { kind: "channel"; channelId: number } | "everything"): Promise<void> {
    if (conversation === "everything") await this.try("POST", "/mark_all_as_read");
    else if (conversation.kind === "channel")
      await this.try("POST", "/mark_stream_as_read", { stream_id: conversation.channelId });
    else if (conversation.kind === "topic") {
      const params = { stream_id: conversation.channelId, topic_name: conversation.topic };
      await this.try("POST", "/mark_topic_as_read", params);
    } else
      await this.try("POST", "/messages/flags/narrow", {
        anchor: "newest",
        num_before: 5000,
        num_after: 0,
        narrow: narrowOf(conversation),
        op: "add",
        flag: "read",
      });
  }

  /** Marks all messages of a narrow as read, also those that are not loaded. */
  async markNarrowRead(narrow: Narrow): Promise<void> {
    const unread = [...narrow, { operator: "is", operand: "unread" }];
    for (let anchor: number | "oldest" = "oldest"; ; ) {
      const answer: { last_processed_id: number | null; found_newest: boolean } | undefined = await this.try(
        "POST",
        "/messages/flags/narrow",
        { narrow: unread, anchor, num_before: 0, num_after: largestMarking, op: "add", flag: "read" },
      );
      if (!answer || answer.found_newest || answer.last_processed_id === null) return;
      anchor = answer.last_processed_id + 1;
    }
  }

  setPolicy(channelId: number, topic: string, policy: number): Promise<unknown> {
    const event = { id: -1, type: "user_topic" as const, stream_id: channelId, topic_name: topic };
    const change: Change<number> = {
      of: `policy ${channelId} ${topic}`,
      from: this.app.channels.policy(channelId, topic),
      to: policy,
      told: (visibility_policy) => ({ ...event, visibility_policy, last_updated: Math.floor(Date.now() / 1000) }),
    };
    const params = { stream_id: channelId, topic, visibility_policy: policy };
    return this.app.ahead.change(change, () => this.try("POST", "/user_topics", params));
  }

  setSubscription(channelId: number, property: string, value: boolean | string): Promise<unknown> {
    const subscription_data = [{ stream_id: channelId, property, value }];
    const ask = () => this.try("POST", "/users/me/subscriptions/properties", { subscription_data });
    const channel = this.app.store.state.subscriptions?.find(({ stream_id }) => stream_id === channelId);
    if (!channel) return ask();
    const event = { id: -1, type: "subscription" as const, op: "update" as const, stream_id: channelId, property };
    const told = (to: unknown) => ({ ...event, value: to });
    return this.app.ahead.change({ of: `${property} ${channelId}`, from: channel[property], to: value, told }, ask);
  }

  /** @param folderId null takes it out of its folder */
  setFolder(channel: Channel, folderId: number | null): Promise<unknown> {
    const { stream_id, name, folder_id: from } = channel;
    const event = { id: -1, type: "stream" as const, op: "update", stream_id, name, property: "folder_id" };
    const told = (value: number | null) => ({ ...event, value });
    return this.app.ahead.change({ of: `folder ${stream_id}`, from, to: folderId, told }, () =>
      this.try("PATCH", `/streams/${stream_id}`, { folder_id: folderId }),
    );
  }

  /** @param order all folders, also those that are archived */
  orderFolders(order: readonly number[]): Promise<unknown> {
    const from = this.app.channels.folders.value.map(({ id }) => id);
    const told = (ids: readonly number[]) => ({ id: -1, type: "channel_folder" as const, op: "reorder", order: ids });
    return this.app.ahead.change({ of: "folders", from, to: order, told }, () =>
      this.try("PATCH", "/channel_folders", { order }),
    );
  }

  subscribe(channelId: number, userIds?: readonly number[]): Promise<unknown> {
    const subscriptions = [{ name: this.app.channels.name(channelId) }];
    return this.try("POST", "/users/me/subscriptions", { subscriptions, principals: userIds });
  }

  unsubscribe(channelId: number, userIds?: readonly number[]): Promise<unknown> {
    const subscriptions = [this.app.channels.name(channelId)];
    return this.try("DELETE", "/users/me/subscriptions", { subscriptions, principals: userIds });
  }

  /** @param mode which messages move: this one, it and all later ones, or the whole topic */
  async move(
    message: Message,
    to: TopicPlace,
    mode: "change_one" | "change_later" | "change_all",
    tells: { old: boolean; new: boolean },
  ): Promise<boolean> {
    const moved = await this.try("PATCH", `/messages/${message.id}`, {
      topic: to.topic === message.subject ? undefined : to.topic,
      stream_id: to.channelId === message.stream_id ? undefined : to.channelId,
      propagate_mode: mode,
      send_notification_to_old_thread: tells.old,
      send_notification_to_new_thread: tells.new,
    });
    return moved !== undefined;
  }

  /** Marks a topic as resolved, or as unresolved again. */
  async resolve(channelId: number, topic: string): Promise<void> {
    const isResolved = topic.startsWith(resolvedPrefix);
    const renamed = isResolved ? topic.replace(/^(?:✔ )+/, "") : `${resolvedPrefix}${topic}`;
    await this.#changeTopic({ channelId, topic }, { topic: renamed });
  }

  /** Moves a whole topic. Whoever has it open goes with it. */
  moveTopic(from: TopicPlace, to: TopicPlace, tells: { old: boolean; new: boolean }): Promise<boolean> {
    return this.#changeTopic(from, {
      topic: to.topic === from.topic ? undefined : to.topic,
      stream_id: to.channelId === from.channelId ? undefined : to.channelId,
      send_notification_to_old_thread: tells.old,
      send_notification_to_new_thread: tells.new,
    });
  }

  async #changeTopic({ channelId, topic }: TopicPlace, change: Params): Promise<boolean> {
    const answer = await this.try<{ messages: Message[] }>("GET", "/messages", {
      narrow: narrowOf({ kind: "topic", channelId, topic }),
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      allow_empty_topic_name: true,
    });
    const last = answer?.messages.at(-1);
    if (!last) return false;
    const moved = await this.try("PATCH", `/messages/${last.id}`, { ...change, propagate_mode: "change_all" });
    if (moved === undefined) return false;
    const { narrow } = this.app.route.place.peek();
    const open = conversationOf(narrow);
    if (open?.kind === "topic" && open.channelId === channelId && sameTopic(open.topic, topic)) {
      const { topic: name = topic, stream_id: id = channelId } = change;
      this.app.route.open(narrowOf({ kind: "topic", channelId: Number(id), topic: String(name) }));
    }
    return true;
  }

  async copyLink(message: Message): Promise<void> {
    await this.copy(this.linkTo(message), t.linkCopied);
  }

  linkTo(message: Message): string {
    const narrow = narrowOf(this.#conversationOf(message));
    return `${location.origin}/${this.app.route.link(narrow, message.id)}`;
  }

  async copy(text: string, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.app.ui.note(done);
    } catch {
      this.app.ui.note(t.notCopied, "problem");
    }
  }

  vote(message: Message, content: object): Promise<unknown> {
    const params = { message_id: message.id, msg_type: "widget", content: JSON.stringify(content) };
    return this.try("POST", "/submessage", params);
  }

  setSetting(name: string, value: unknown): Promise<unknown> {
    return this.#set("user_settings", "/settings", name, value);
  }

  /** Of people who come. */
  setNewcomersSetting(name: string, value: unknown): Promise<unknown> {
    return this.#set("realm_user_settings_defaults", "/realm/user_settings_defaults", name, value);
  }

  #set(type: "user_settings" | "realm_user_settings_defaults", path: string, name: string, value: unknown) {
    const ask = () => this.try("PATCH", path, { [name]: value });
    const settings = this.app.store.state[type] ?? {};
    // Some of one's settings, such as the name, are told otherwise.
    if (!(name in settings)) return ask();
    const told = (to: unknown) => ({ id: -1, type, op: "update", property: name, value: to });
    return this.app.ahead.change({ of: `${type} ${name}`, from: settings[name], to: value, told }, ask);
  }
}

const turned = (isOn: boolean): { from: "add" | "remove"; to: "add" | "remove" } =>
  isOn ? { from: "remove", to: "add" } : { from: "add", to: "remove" };
