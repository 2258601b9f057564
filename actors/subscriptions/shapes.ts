/** Subscriptions as answers carry them. https://zulip.com/api/get-subscriptions */
import { array, boolean, type Infer, integer, nullable, object, optional, string } from "superstruct";
import { channelFields } from "../channels/shapes.ts";

/** The fields of a subscription that are its owner's alone. */
const personalFields = {
  color: string(),
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
  subscribers: optional(array(integer())),
  partial_subscribers: optional(array(integer())),
};
const withSubscribers = object(subscriberFields);
export type SubscriberFields = Infer<typeof withSubscribers>;

export const subscription = object({ ...channelFields, ...personalFields, ...subscriberFields });
export type SubscriptionRecord = Infer<typeof subscription>;
