/** Subscriptions as answers carry them. https://zulip.com/api/get-subscriptions */
import { array, boolean, type Infer, nullable, object, optional, pattern, string } from "superstruct";
import { channelFields } from "../channels/shapes.ts";
import { userId } from "../id-shapes.ts";

/** The fields of a subscription that are its owner's alone. */
export const personalFields = {
  /** Lower-case hexadecimal. */
  color: pattern(string(), /^#[0-9a-f]{6}$/),
  pin_to_top: boolean(),
  is_muted: boolean(),
  in_home_view: boolean(),
  /** null inherits the person's own setting. */
  desktop_notifications: nullable(boolean()),
  audible_notifications: nullable(boolean()),
  push_notifications: nullable(boolean()),
  email_notifications: nullable(boolean()),
  wildcard_mentions_notify: nullable(boolean()),
};
const personal = object(personalFields);
export type PersonalFields = Infer<typeof personal>;

/** The subscribers, all or some of them. */
export const subscriberFields = {
  subscribers: optional(array(userId())),
  partial_subscribers: optional(array(userId())),
};
const withSubscribers = object(subscriberFields);
export type SubscriberFields = Infer<typeof withSubscribers>;

export const subscription = object({ ...channelFields, ...personalFields, ...subscriberFields });
export type SubscriptionRecord = Infer<typeof subscription>;
