/**
 * The one list of what cannot be compared between a fetched state and one brought up to date by events, each with its
 * reason. Everything not named here must converge.
 */
import type { ClientProfile } from "../../../http/client/state/client-profile.ts";

/** A part of the register answer that is left out of every comparison. */
export interface VolatileField {
  /** Dotted path; `*` stands for any element or key. */
  readonly path: string;
  readonly reason: string;
  /** When given, the field is left out only for these clients. */
  readonly when?: (profile: ClientProfile) => boolean;
}

const doesNotName = (eventType: string) => (profile: ClientProfile) => !(profile.eventTypes ?? []).includes(eventType);

/** Left out of every comparison. */
export const VOLATILE_FIELDS: readonly VolatileField[] = [
  { path: "result", reason: "envelope" },
  { path: "msg", reason: "envelope" },
  { path: "ignored_parameters_unsupported", reason: "envelope" },
  { path: "queue_id", reason: "each registration makes its own queue" },
  { path: "last_event_id", reason: "the position at which the state was taken" },
  { path: "server_timestamp", reason: "the time of the answer" },
  { path: "presence_last_update_id", reason: "no event carries it; clients get it from POST /users/me/presence" },
  {
    path: "presences.*.*",
    reason: "a presence event is sent only when someone comes back online; who is listed converges, the times do not",
  },
  ...["streams", "subscriptions", "unsubscribed", "never_subscribed"].map((list) => ({
    path: `${list}.*.stream_weekly_traffic`,
    reason: "an average over a moving week; it changes without anybody acting",
  })),
  ...["streams", "subscriptions", "unsubscribed", "never_subscribed"].map((list) => ({
    path: `${list}.*.subscriber_count`,
    reason:
      "only a client that was given every subscriber can tell real changes (deactivations, say) from repeated ones",
    when: (profile: ClientProfile) => profile.includeSubscribers !== "true",
  })),
  {
    path: "realm_private_message_policy",
    reason: "deprecated shadow of direct_message_permission_group; no event carries it and its scale is not specified",
  },
  {
    path: "realm_create_web_public_stream_policy",
    reason:
      "deprecated shadow of can_create_web_public_channel_group; no event carries it and its scale is not specified",
  },
  ...["public", "private"].map((kind) => ({
    path: `realm_create_${kind}_stream_policy`,
    reason: `deprecated shadow of can_create_${kind}_channel_group; no event carries it`,
  })),
  {
    path: "realm_delete_own_message_policy",
    reason: "deprecated shadow of can_delete_own_message_group; no event carries it and its scale is not specified",
  },
  {
    path: "devices",
    reason: "`device` events go only to queues that named them (or whose client registered a device)",
    when: doesNotName("device"),
  },
  {
    path: "has_webex_token",
    reason: "`has_webex_token` events go only to queues that named them",
    when: doesNotName("has_webex_token"),
  },
];

/**
 * Objects keyed by user. Only the entries of active users are compared: the server may keep or forget those of a
 * deactivated user, and no event says which.
 */
export const OF_ACTIVE_USERS = ["presences", "user_status"] as const;
