/** The forms of events about channels and subscriptions. */
import type { UserId } from "../../storage/ids.ts";
import { subscriptionNotificationSettings } from "../../storage/rows.ts";
import { renderChannel } from "../channels/record.ts";
import type { RealmState } from "../realm/state/state.ts";
import { renderSubscription } from "../subscriptions/record.ts";
import type { PersonalFields } from "../subscriptions/shapes.ts";
import { userSetting } from "../users/settings/settings.ts";
import { type SubscriptionEvent, subscriptionsFor } from "./channels.ts";
import { eventForm, flag, type Reader, type WireEvent } from "./form.ts";

const hidesForm = flag("hidesArchived");

/**
 * A client that does not know archived channels is told that an archived one is gone, and that a restored one is new.
 */
export const stream = eventForm<"stream", { hidesArchived: boolean }>({
  form: (event, reader) =>
    hidesForm(event.op === "update" && event.property === "is_archived" && !reader.has.has("archived_channels")),
  write(event, { hidesArchived }, state) {
    if (!hidesArchived || event.op !== "update") return { ...event };
    const { stream_id } = event;
    if (event.value) return { type: "stream", op: "delete", stream_ids: [stream_id], streams: [{ stream_id }] };
    // Its subscribers follow: see `unarchived` below.
    const channel = { ...renderChannel(state, state.knownChannel(stream_id)), subscriber_count: 0 };
    return { type: "stream", op: "create", streams: [channel] };
  },
});

/** A person's own settings, for the notification settings of a subscription that inherit them. */
const inherited = {
  desktop_notifications: "enable_stream_desktop_notifications",
  audible_notifications: "enable_stream_audible_notifications",
  push_notifications: "enable_stream_push_notifications",
  email_notifications: "enable_stream_email_notifications",
  wildcard_mentions_notify: "wildcard_mentions_notify",
} as const;

/** For clients without `notification_settings_null`: the person's own value in place of null. */
export function withoutNullSettings<T extends PersonalFields>(state: RealmState, userId: UserId, subscription: T): T {
  const user = state.knownUser(userId);
  const own: Partial<PersonalFields> = {};
  for (const name of subscriptionNotificationSettings)
    if (subscription[name] === null) own[name] = userSetting(user, inherited[name]);
  return { ...subscription, ...own };
}

/** What the form of `subscription` add depends on: the person, and what their client declared. */
interface MineForm {
  userId: UserId;
  /** Whether inherited values are null. Otherwise they are the person's own value. */
  nulls: boolean;
  subscribers: boolean;
}
interface SubscriptionForm {
  mine?: MineForm;
  /** The value of the person's own setting. */
  value?: boolean;
  /** Left out of the people who left: the reader knows it from an event of their own. */
  without?: UserId;
}
const plain: SubscriptionForm = Object.freeze({});

export const subscription = eventForm<"subscription", SubscriptionForm>({
  form(event, reader, state) {
    switch (event.op) {
      case "add":
        return { mine: mineForm(reader) };
      case "unarchived":
        return state.subscriptions.has(reader.userId, event.stream_id) ? { mine: mineForm(reader) } : plain;
      case "update":
        return isInherited(event) && !reader.has.has("notification_settings_null")
          ? { value: userSetting(state.knownUser(reader.userId), inherited[event.property]) }
          : plain;
      case "peer_remove":
        return event.user_ids.length > 1 && event.user_ids.includes(reader.userId) ? { without: reader.userId } : plain;
      default:
        return plain;
    }
  },
  write(event, form, state): WireEvent {
    switch (event.op) {
      case "add":
        return form.mine ? addFor(event, form.mine, state) : { type: "subscription", op: "add", subscriptions: [] };
      // A client that does not know archived channels is told that its person left, or is back; others are told of its
      // people.
      case "archived":
        return {
          type: "subscription",
          op: "remove",
          subscriptions: [{ stream_id: event.stream_id, name: event.name }],
        };
      case "unarchived":
        return form.mine ? backFor(event, form.mine, state) : peersAgain(event);
      case "update":
        return "value" in form ? { ...event, value: form.value } : { ...event };
      case "peer_remove":
        return form.without === undefined
          ? { ...event }
          : { ...event, user_ids: event.user_ids.filter((id) => id !== form.without) };
      default:
        return { ...event };
    }
  },
});

const mineForm = (reader: Reader): MineForm => ({
  userId: reader.userId,
  nulls: reader.has.has("notification_settings_null"),
  subscribers: reader.registration.include_subscribers,
});

const isInherited = (event: OpOf<"update">): event is Extract<OpOf<"update">, { property: keyof typeof inherited }> =>
  event.value === null;

type OpOf<O extends SubscriptionEvent["op"]> = Extract<SubscriptionEvent, { op: O }>;

function addFor(event: OpOf<"add">, mine: MineForm, state: RealmState): WireEvent {
  const subscriptions = subscriptionsFor(event, mine.userId).map((record) => {
    const { subscribers, ...rest } = mine.nulls ? record : withoutNullSettings(state, mine.userId, record);
    return mine.subscribers ? { ...rest, subscribers } : rest;
  });
  return { type: "subscription", op: "add", subscriptions };
}

function backFor({ stream_id, subscribers }: OpOf<"unarchived">, mine: MineForm, state: RealmState): WireEvent {
  const row = state.subscriptions.find(mine.userId, stream_id)!;
  const record = { ...renderSubscription(state, state.knownChannel(stream_id), row), subscribers };
  const personal = { [mine.userId]: { [stream_id]: {} } };
  return addFor({ type: "subscription", op: "add", subscriptions: [record], personal }, mine, state);
}

const peersAgain = ({ stream_id, subscribers }: OpOf<"unarchived">): WireEvent => ({
  type: "subscription",
  op: "peer_add",
  stream_ids: [stream_id],
  user_ids: subscribers,
});
