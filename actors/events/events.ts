/**
 * Every event a client can be sent, in the wire's shape but for `id`, which is the event's place in the realm's log.
 * Where clients declared different formats, the log carries the fullest one; `forms.ts` has the table that derives the
 * others. Their meaning for clients: https://zulip.com/api/get-events
 */
import { literal, object, type Struct } from "superstruct";
import { isKeyOf } from "../../storage/rows.ts";
import { either } from "../either.ts";
import { logPosition } from "../id-shapes.ts";
import { described, type Shape } from "../shape.ts";
import { channelEvents } from "./channels.ts";
import { type Declaration, type Declared, type EventFields, type LoggedBy, SentTo } from "./declare.ts";
import { messageEvents } from "./messages.ts";
import { organizationEvents } from "./organization.ts";
import { peopleEvents } from "./people.ts";
import { personalEvents } from "./personal.ts";

const declared = { ...messageEvents, ...channelEvents, ...peopleEvents, ...personalEvents, ...organizationEvents };
type Table = typeof declared;
type FieldsOf<V> = V extends SentTo<infer F> ? F : V;
type FieldNameOf<V> = V extends unknown ? keyof FieldsOf<V> : never;
type FieldName = FieldNameOf<Table[keyof Table]["sent"][number]>;

/** What fields mean, in every event that has them. Those inside them are described where they are declared. */
const meanings: Readonly<Partial<Record<FieldName, string>>> = {
  op: "What happened.",
  operation: "The same as `op`, under its older name.",
  property: "What changed.",
  value: "The new value.",
  data: "What changed, with the new values.",
  name: "The channel's name before the change.",
  order: "Ids of the folders, in their new order.",
  message: "The message.",
  message_type: "Whether it is about a channel, or a direct conversation.",
  local_message_id:
    "The `local_id` of the request that sent the message. Only the queue that the request named gets it.",
  message_ids: "Ids of the messages.",
  messages: "Ids of the messages.",
  message_details: "Where the messages are that became unread, by their ids.",
  flags: "The flags that the message now has for the user.",
  all: "Whether it is about all messages of the user.",
  rendered_content: "The new text, as HTML.",
  orig_content: "The text before, as it was written.",
  orig_rendered_content: "The text before, as HTML.",
  is_me_message: "Whether it now begins with `/me`.",
  subject: "The new topic.",
  orig_subject: "The topic before.",
  topic: "The topic.",
  new_stream_id: "The id of the channel to which the messages were moved.",
  propagate_mode: "Which messages of the topic moved: one, it and those after it, or all.",
  edit_timestamp: "When it changed, in UNIX seconds.",
  rendering_only: "Whether only the HTML changed, as when a preview of a link was made.",
  submessage_id: "The part's id.",
  user: "Who reacted.",
  attachment: "The file.",
  upload_space_used: "How many bytes the files of the organization take.",
  stream_ids: "Ids of the channels.",
  streams: "The channels.",
  subscriptions: "The channels.",
  default_streams: "Ids of the channels to which new people are subscribed.",
  default_stream_groups: "The groups of channels that new people may choose, by name.",
  channel_folder: "The folder.",
  person: "The account, or what changed of it.",
  bot: "The bot, or what changed of it.",
  user_ids: "Ids of the users.",
  group: "The group.",
  group_id: "The group's id.",
  presence: "When the user was there.",
  sender: "Who types.",
  recipient: "Where the message is that is edited.",
  recipients: "The people of the conversation.",
  draft: "The draft.",
  saved_snippet: "The snippet.",
  scheduled_message: "The scheduled message.",
  navigation_view: "The view.",
  language_name: "The language's name for people.",
  muted_users: "Everybody whom the user mutes, and since when.",
  muted_topics: "All topics that the user mutes.",
  onboarding_steps: "The steps of the introduction that are still to be shown.",
  realm_domain: "The domain, and whether its subdomains are allowed.",
  emoji: "The emoji.",
  emoji_id: "The emoji's id.",
  realm_emoji: "All custom emoji, by their ids.",
  realm_linkifiers: "All linkifiers, in the order in which they are tried.",
  realm_playgrounds: "All playgrounds for code.",
  fields: "All fields of profiles, in their order.",
  exports: "All exports of the organization.",
  consented: "Whether the user agrees that private data of theirs are exported.",
  server_generation: "When the server was started, in UNIX seconds.",
  immediate: "Whether web clients should load themselves again at once.",
};

const describedFields = (fields: EventFields): EventFields =>
  Object.fromEntries(
    Object.entries<Struct<unknown, unknown>>(fields).map(([name, field]) => {
      const meaning = isKeyOf(meanings, name) ? meanings[name] : undefined;
      return [name, meaning === undefined ? field : described(field, meaning)];
    }),
  );

type LoggedTypes = LoggedBy<Table>;

export type RealmEvent = LoggedTypes[keyof LoggedTypes];

/** Under another name, since within the block below `RealmEvent` is the core's. */
type DeclaredEvent = RealmEvent;

declare module "../realm/entry.ts" {
  interface LogVocabulary {
    event: DeclaredEvent;
  }
}

/** The events of a type. */
export type EventOf<T extends RealmEvent["type"]> = Extract<RealmEvent, { type: T }>;

/** Types of which the log carries another event than any client is sent. */
export type FormedType = { [T in keyof Table]: Table[T] extends { logged: object } ? T : never }[keyof Table];

/** One variant of an event as it is sent. */
export interface SentVariant {
  readonly type: string;
  /** Undefined: everybody is sent it. */
  readonly to: Declared | undefined;
  readonly shape: Shape & { readonly schema: EventFields };
}

/** All variants of all events, in the order in which they are declared. */
export const sentVariants: readonly SentVariant[] = Object.entries<Declaration>(declared).flatMap(([type, { sent }]) =>
  sent.map((variant): SentVariant => {
    const { to, fields } = variant instanceof SentTo ? variant : { to: undefined, fields: variant };
    const id = described(logPosition(), "The event's id. Ids grow, and are not contiguous.");
    const kind = described(literal(type), "The kind of event; its other fields depend on it.");
    return { type, to, shape: object({ id, type: kind, ...describedFields(fields) }) };
  }),
);

/** An event as some client may be sent it. */
export const sentEvent = either(...sentVariants.map(({ shape }) => shape as Struct<unknown>));

const typesWhere = (holds: (state: Declaration["state"]) => boolean): ReadonlySet<string> =>
  new Set(Object.entries<Declaration>(declared).flatMap(([type, { state }]) => (holds(state) ? [type] : [])));

/**
 * Types whose part of the register state is read from PostgreSQL, not from the replica. The two parts are read at two
 * positions, the replica's never the earlier one. Between them only events of these types are new to the client.
 */
export const storedTypes = typesWhere((state) => state !== "replicated");

/** Types of events about lists that a register tells. Each event goes to those whose list it changes. */
export const listTypes = typesWhere((state) => typeof state === "object");

/** The names of such lists. */
export type StoredList = Extract<Table[keyof Table]["state"], object>["list"];
