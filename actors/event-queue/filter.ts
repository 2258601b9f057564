/** Which events a queue takes, of those its user may receive. https://zulip.com/api/register-queue */
import type { ChannelId, UserId } from "../../storage/ids.ts";
import { errors } from "../errors.ts";
import type { SubscriptionEvent } from "../events/channels.ts";
import type { EventOf, RealmEvent } from "../events/events.ts";
import { messageFlags } from "../events/message-forms.ts";
import type { MessageEvent } from "../events/messages.ts";
import type { RealmUserEvent } from "../events/people.ts";
import type { NarrowTerm, Registration } from "../events/registration.ts";
import { maxTerms } from "../narrow/narrow.ts";
import { canSeeEmail, canSeeUser } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";
import { isTopicMuted } from "../topics/changes/muted.ts";
import { topicNames } from "../topics/empty-topic.ts";

/** What each event is checked against, computed once for a registration. */
export interface QueueFilter {
  types: ReadonlySet<string> | null;
  accepts(event: RealmEvent, userId: UserId, state: RealmState): boolean;
}

export function makeFilter(registration: Registration): QueueFilter {
  const types = registration.event_types === null ? null : new Set(registration.event_types);
  const has = new Set(registration.capabilities);
  const narrow = registration.narrow.length > 0 ? makeNarrowFilter(registration.narrow) : undefined;
  return {
    types,
    accepts(event, userId, state) {
      if (types !== null ? !types.has(event.type) : isUnknown(event, registration)) return false;
      switch (event.type) {
        case "message":
          return narrow === undefined || narrow(event, userId, state);
        case "typing":
          return event.message_type === "direct" || has.has("stream_typing_notifications");
        case "realm_user":
          if (event.op === "update") return isAddressFor(event, userId, state);
          return event.op === "remove" || !has.has("user_list_incomplete") || isKnownTo(event, userId, state);
        case "realm_linkifiers":
          return has.has("linkifier_url_template");
        case "muted_topics":
          return types === null || !types.has("user_topic");
        case "stream":
          return (
            (event.op === "update" && event.property === "is_archived") ||
            has.has("archived_channels") ||
            !isAboutArchived(event, state)
          );
        case "user_group":
          return has.has("include_deactivated_groups") || !isAboutDeactivated(event, state);
        case "subscription":
          // Only for clients that do not know archived channels. Those that get events of archiving need not be told
          // that one is gone.
          if (event.op === "unarchived") return !has.has("archived_channels");
          if (event.op === "archived") return !has.has("archived_channels") && types !== null && !types.has("stream");
          return has.has("archived_channels") || !isAboutArchived(event, state);
        default:
          return true;
      }
    },
  };
}

/**
 * These events go only to queues that named the type, those of devices also to the client they are about. Strict
 * clients do not know them.
 */
function isUnknown(event: RealmEvent, registration: Registration): boolean {
  return event.type === "has_webex_token" || (event.type === "device" && event.client !== registration.client);
}

/** Whether an event changes a deactivated group, other than by deactivating it. */
function isAboutDeactivated(event: EventOf<"user_group">, state: RealmState): boolean {
  if (event.op === "add" || (event.op === "update" && event.data.deactivated !== undefined)) return false;
  return state.groups.byId.get(event.group_id)?.deactivated ?? false;
}

/** Whether an event is about archived channels. No event is about both archived and other ones. */
function isAboutArchived(event: EventOf<"stream"> | SubscriptionEvent, state: RealmState): boolean {
  const channelId = firstChannel(event);
  return channelId !== undefined && (state.channels.get(channelId)?.is_archived ?? false);
}

function firstChannel(event: EventOf<"stream"> | SubscriptionEvent): ChannelId | undefined {
  if ("stream_id" in event) return event.stream_id;
  if ("stream_ids" in event) return event.stream_ids[0];
  return ("subscriptions" in event ? event.subscriptions : event.streams)[0]?.stream_id;
}

/**
 * A new account's event is logged for all. Readers who may not know of it get another form: see `isUnknownTo` in
 * `actors/events/forms.ts`.
 */
function isKnownTo(event: RealmUserEvent, userId: UserId, state: RealmState): boolean {
  const target = state.users.get(event.person.user_id);
  const user = state.users.get(userId);
  return target !== undefined && user !== undefined && canSeeUser(state, target, user);
}

type RealmUserUpdate = Extract<RealmUserEvent, { op: "update" }>;

/** The address goes to those who may see it. The others are told that it is hidden. */
function isAddressFor({ person }: RealmUserUpdate, userId: UserId, state: RealmState): boolean {
  if (!("delivery_email" in person)) return true;
  const target = state.users.get(person.user_id);
  return target !== undefined && (person.delivery_email !== null) === canSeeEmail(target, state.users.get(userId));
}

type Predicate = (event: MessageEvent, userId: UserId, state: RealmState) => boolean;

/** Operators a queue may be narrowed by. */
const queueNarrowOperators = new Set([
  "channel",
  "stream",
  "topic",
  "sender",
  "is",
  "dm",
  "pm-with",
  "channels",
  "streams",
]);

/**
 * Operands of `is` that a queue knows. Operands of newer clients do not narrow, so those clients get more messages, not
 * none.
 */
const isOperands = new Set([
  "dm",
  "private",
  "starred",
  "mentioned",
  "alerted",
  "unread",
  "resolved",
  "followed",
  "muted",
]);
const isKnown = ({ operator, operand }: NarrowTerm): boolean =>
  operator !== "is" || isOperands.has(String(operand).trim().toLowerCase());

/** Returns the terms. @throws BAD_NARROW for what a queue cannot be narrowed by */
export function checkQueueNarrow(terms: NarrowTerm[]): NarrowTerm[] {
  // Every message event is checked against each term.
  if (terms.length > maxTerms) throw errors.BAD_NARROW({ desc: "too many terms" });
  for (const { operator, operand } of terms) {
    if (!queueNarrowOperators.has(operator))
      throw errors.BAD_NARROW({ desc: `unknown operator ${operator.slice(0, 60)}` });
    const isList = Array.isArray(operand) && (operator === "dm" || operator === "pm-with");
    if (typeof operand !== "string" && typeof operand !== "number" && !isList)
      throw errors.BAD_NARROW({ desc: `bad operand of ${operator}` });
  }
  return terms;
}

function makeNarrowFilter(narrow: readonly NarrowTerm[]): Predicate {
  const predicates = narrow.filter(isKnown).map((term): Predicate => {
    const predicate = makePredicate(term);
    return term.negated ? (event, userId, state) => !predicate(event, userId, state) : predicate;
  });
  return (event, userId, state) => predicates.every((predicate) => predicate(event, userId, state));
}

function makePredicate({ operator, operand }: NarrowTerm): Predicate {
  const text = String(operand).trim().toLowerCase();
  switch (operator) {
    case "channel":
    case "stream":
      return ({ message }) =>
        message.type === "stream" &&
        (message.stream_id === operand || String(message.display_recipient).toLowerCase() === text);
    case "channels":
    case "streams":
      return ({ message }, _userId, state) => {
        const channel = state.channels.get(message.stream_id ?? -1);
        return channel !== undefined && (text === "web-public" ? channel.is_web_public : !channel.invite_only);
      };
    case "topic": {
      const topics = topicNames(text);
      return ({ message }) => message.type === "stream" && topics.includes(message.subject.toLowerCase());
    }
    case "sender":
      return ({ message }) => message.sender_id === operand || message.sender_email.toLowerCase() === text;
    case "dm":
    case "pm-with": {
      const people = Array.isArray(operand) ? operand.map((one) => String(one).toLowerCase()) : text.split(",");
      const wanted = new Set(people.map((one) => one.trim()));
      // The reader takes part whether they are named or not.
      return ({ message: { display_recipient } }, userId) => {
        if (typeof display_recipient === "string") return false;
        const named = display_recipient.flatMap(({ id, email }) =>
          [String(id), email.toLowerCase()].filter((name) => wanted.has(name)),
        );
        return (
          named.length === wanted.size &&
          display_recipient.every(
            ({ id, email }) => id === userId || wanted.has(String(id)) || wanted.has(email.toLowerCase()),
          )
        );
      };
    }
    default:
      return isPredicate(text);
  }
}

function isPredicate(what: string): Predicate {
  switch (what) {
    case "dm":
    case "private":
      return ({ message }) => message.type === "private";
    case "resolved":
      return ({ message }) => message.type === "stream" && message.subject.startsWith("✔ ");
    case "mentioned":
      return (event, userId) =>
        messageFlags(event, userId).some((flag) => flag === "mentioned" || flag.endsWith("wildcard_mentioned"));
    case "alerted":
      return (event, userId) => messageFlags(event, userId).includes("has_alert_word");
    case "unread":
      return (event, userId) => !messageFlags(event, userId).includes("read");
    case "followed":
      return ({ message }, userId, state) =>
        message.type === "stream" && state.topicPolicy(userId, message.stream_id!, message.subject) === 3;
    case "muted":
      return ({ message }, userId, state) =>
        message.type === "stream" && isTopicMuted(state, userId, message.stream_id!, message.subject);
    default:
      // `is:starred` and the like: a new message never has these flags.
      return () => false;
  }
}
