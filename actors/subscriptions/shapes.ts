/** Subscriptions as answers carry them. https://zulip.com/api/get-subscriptions */
import { array, boolean, type Infer, nullable, object, optional, pattern, string } from "superstruct";
import { channelFields } from "../channels/shapes.ts";
import { userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

/** The fields of a subscription that are its owner's alone. */
export const personalFields = {
  /** Lower-case hexadecimal. */
  color: described(pattern(string(), /^#[0-9a-f]{6}$/), "The channel's colour for this person, such as `#76ce90`."),
  pin_to_top: described(boolean(), "Whether the channel is at the top."),
  is_muted: described(boolean(), "Whether the channel is muted."),
  in_home_view: described(boolean(), "The opposite of `is_muted`, for older clients."),
  /** null inherits the person's own setting. */
  desktop_notifications: described(
    nullable(boolean()),
    "Whether its messages notify on the desktop; null as in the person's settings.",
  ),
  audible_notifications: described(
    nullable(boolean()),
    "Whether its messages make a sound; null as in the person's settings.",
  ),
  push_notifications: described(
    nullable(boolean()),
    "Whether its messages notify phones; null as in the person's settings.",
  ),
  email_notifications: described(
    nullable(boolean()),
    "Whether its messages are told by email; null as in the person's settings.",
  ),
  wildcard_mentions_notify: described(
    nullable(boolean()),
    "Whether `@all` notifies like a mention; null as in the person's settings.",
  ),
};
const personal = object(personalFields);
export type PersonalFields = Infer<typeof personal>;

/** The subscribers, all or some of them. */
export const subscriberFields = {
  subscribers: described(optional(array(userId())), "Ids of the subscribers."),
  partial_subscribers: described(optional(array(userId())), "Ids of some of the subscribers, where all would be many."),
};
const withSubscribers = object(subscriberFields);
export type SubscriberFields = Infer<typeof withSubscribers>;

export const subscription = object({ ...channelFields, ...personalFields, ...subscriberFields });
export type SubscriptionRecord = Infer<typeof subscription>;
