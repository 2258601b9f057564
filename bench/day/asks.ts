/**
 * What full clients ask. The page is Parley's own, the phone Zulip's mobile app, the terminal Zulip's terminal client.
 * All accept gzip, and all are known by an API key: a page's session costs the same look-up.
 *
 * Sources: http/client/state/client-profile.ts; https://github.com/zulip/zulip-flutter (lib/model/presence.dart,
 * lib/model/message_list.dart); https://github.com/zulip/zulip-terminal (zulipterminal/model.py)
 */
import { MOBILE, PAGE, registerParams } from "../../http/client/state/client-profile.ts";
import { type Account, form, get } from "../load/request.ts";

export type Kind = "page" | "phone" | "terminal";

/** Somebody with a client. */
export interface Person extends Account {
  kind: Kind;
  /** Where they read and write. */
  channelIds: readonly number[];
}

/** 68 % of all have a page, 30 % a phone and 2 % a terminal: an assumption, as nobody has published it. */
export function kindOf(place: number): Kind {
  const percent = (place * 2) % 100;
  if (percent < 2) return "terminal";
  return percent < 32 ? "phone" : "page";
}

const terminalParams = {
  event_types: [
    "message",
    "update_message",
    "reaction",
    "submessage",
    "subscription",
    "typing",
    "update_message_flags",
    "user_settings",
    "realm_emoji",
    "realm_user",
  ],
  fetch_event_types: [
    "realm",
    "presence",
    "subscription",
    "message",
    "starred_messages",
    "update_message_flags",
    "muted_topics",
    "realm_user",
    "realm_user_groups",
    "user_settings",
    "realm_emoji",
    "custom_profile_fields",
    "zulip_version",
  ],
  narrow: [],
  apply_markdown: true,
  client_gravatar: true,
  include_subscribers: true,
};

const registerOf: Readonly<Record<Kind, object>> = {
  page: registerParams(PAGE),
  phone: { ...registerParams(MOBILE), idle_queue_timeout: "mobile" },
  terminal: terminalParams,
};

/** How much of a conversation is fetched when it is opened. */
const lookOf: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
  page: { anchor: "first_unread", num_before: 25, num_after: 60, client_gravatar: true, allow_empty_topic_name: true },
  phone: { anchor: "first_unread", num_before: 100, num_after: 100, allow_empty_topic_name: true },
  terminal: { anchor: "first_unread", num_before: 30, num_after: 10, client_gravatar: true, apply_markdown: true },
};

export const compressed = (request: string): string => request.replace("\r\n", "\r\nAccept-Encoding: gzip\r\n");

/** For everything, and a queue. `changes` are of other parameters than the client's own. */
export const registration = (person: Person, changes: object = {}): string =>
  compressed(form("POST", "/api/v1/register", { ...registerOf[person.kind], ...changes }, person));

/**
 * The request of each minute. The page asks for what changed since `newestUpdate`, the others for everybody. The
 * terminal does so in the older form.
 */
export function ping(person: Person, newestUpdate: number): string {
  const ofKind = {
    page: { status: "active", new_user_input: false, ping_only: false, last_update_id: newestUpdate },
    phone: { status: "active", new_user_input: true, ping_only: false, slim_presence: true },
    terminal: { status: "active", new_user_input: true },
  };
  return compressed(form("POST", "/api/v1/users/me/presence", ofKind[person.kind], person));
}

export function history(person: Person, channelId: number): string {
  const narrow = JSON.stringify([{ operator: "channel", operand: channelId }]);
  const query = new URLSearchParams({ narrow });
  for (const [name, value] of Object.entries(lookOf[person.kind])) query.set(name, String(value));
  return compressed(get(`/api/v1/messages?${query}`, person));
}

export const read = (person: Person, messageId: number): string =>
  form("POST", "/api/v1/messages/flags", { messages: [messageId], op: "add", flag: "read" }, person);

export const say = (person: Person, channelId: number, content: string): string =>
  form("POST", "/api/v1/messages", { type: "channel", to: [channelId], topic: "today", content }, person);
