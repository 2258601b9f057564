/**
 * What one kind of client declares when it registers. The server shapes the state and the events by it, so applying and
 * checking them needs it too. The server has a list of its own: the page is a client, and shares no code with it.
 */

/** The keys of `client_capabilities`. https://zulip.com/api/register-queue */
export const CAPABILITIES = [
  "notification_settings_null",
  "bulk_message_deletion",
  "user_avatar_url_field_optional",
  "stream_typing_notifications",
  "user_settings_object",
  "linkifier_url_template",
  "user_list_incomplete",
  "include_deactivated_groups",
  "archived_channels",
  "empty_topic_name",
  "simplified_presence_events",
  "individual_emoji_changes",
] as const;

/** One key of `client_capabilities`. */
export type Capability = (typeof CAPABILITIES)[number];

/** One kind of client: the parameters of POST /register that change the bytes it gets. */
export interface ClientProfile {
  /** For messages about failures. */
  readonly name: string;
  /** The capabilities it declares. */
  readonly capabilities: ReadonlySet<Capability>;
  readonly clientGravatar: boolean;
  readonly slimPresence: boolean;
  readonly applyMarkdown: boolean;
  readonly includeSubscribers: "true" | "false" | "partial";
  /** `event_types`; absent for all. */
  readonly eventTypes?: readonly string[];
  /** `fetch_event_types`; absent for those of `event_types`. */
  readonly fetchEventTypes?: readonly string[];
}

/**
 * All event types except `muted_topics`, which queues that name `user_topic` do not get.
 * https://zulip.com/api/get-events
 */
export const EVENT_TYPES = [
  "alert_words",
  "attachment",
  "channel_folder",
  "custom_profile_fields",
  "default_stream_groups",
  "default_streams",
  "delete_message",
  "device",
  "drafts",
  "has_webex_token",
  "has_zoom_token",
  "invites_changed",
  "message",
  "muted_users",
  "navigation_view",
  "onboarding_steps",
  "presence",
  "reaction",
  "realm",
  "realm_bot",
  "realm_domains",
  "realm_emoji",
  "realm_export",
  "realm_export_consent",
  "realm_linkifiers",
  "realm_playgrounds",
  "realm_user",
  "realm_user_settings_defaults",
  "reminders",
  "restart",
  "saved_snippets",
  "scheduled_messages",
  "stream",
  "submessage",
  "subscription",
  "typing",
  "typing_edit_message",
  "update_message",
  "update_message_flags",
  "user_group",
  "user_settings",
  "user_status",
  "user_topic",
  "web_reload_client",
] as const;

/** All fetch types except `muted_topics`. https://zulip.com/api/register-queue */
export const FETCH_TYPES = [
  "alert_words",
  "channel_folders",
  "custom_profile_fields",
  "default_stream_groups",
  "default_streams",
  "device",
  "drafts",
  "giphy",
  "message",
  "muted_users",
  "navigation_views",
  "onboarding_steps",
  "presence",
  "realm",
  "realm_bot",
  "realm_domains",
  "realm_embedded_bots",
  "realm_emoji",
  "realm_filters",
  "realm_incoming_webhook_bots",
  "realm_linkifiers",
  "realm_playgrounds",
  "realm_user",
  "realm_user_groups",
  "realm_user_settings_defaults",
  "recent_private_conversations",
  "reminders",
  "saved_snippets",
  "scheduled_messages",
  "starred_messages",
  "stop_words",
  "stream",
  "subscription",
  "update_message_flags",
  "user_settings",
  "user_status",
  "user_topic",
  "video_calls",
  "zulip_version",
] as const;

/** A client that declares nothing and fetches everything, such as terminal clients and bots. */
export const LEGACY: ClientProfile = {
  name: "legacy",
  capabilities: new Set(),
  clientGravatar: true,
  slimPresence: false,
  applyMarkdown: false,
  includeSubscribers: "true",
};

/** The declarations of the current mobile app. */
export const MOBILE: ClientProfile = {
  name: "mobile",
  capabilities: new Set<Capability>([
    "notification_settings_null",
    "bulk_message_deletion",
    "user_avatar_url_field_optional",
    "stream_typing_notifications",
    "user_settings_object",
    "include_deactivated_groups",
    "empty_topic_name",
    "individual_emoji_changes",
  ]),
  clientGravatar: false,
  slimPresence: true,
  applyMarkdown: true,
  includeSubscribers: "false",
};

/** A client that declares every capability and names every type. */
export const MODERN: ClientProfile = {
  name: "modern",
  capabilities: new Set(CAPABILITIES),
  clientGravatar: true,
  slimPresence: true,
  applyMarkdown: true,
  includeSubscribers: "true",
  eventTypes: EVENT_TYPES,
  fetchEventTypes: FETCH_TYPES,
};

/** The declarations of this page, and the parts of the state that it shows. */
export const PAGE: ClientProfile = {
  name: "page",
  capabilities: new Set(CAPABILITIES.filter((name) => name !== "user_avatar_url_field_optional")),
  clientGravatar: true,
  slimPresence: true,
  applyMarkdown: true,
  includeSubscribers: "false",
  eventTypes: EVENT_TYPES,
  fetchEventTypes: FETCH_TYPES.filter(
    (type) =>
      !/^(?:stream|device|giphy|stop_words|video_calls|realm_filters|realm_(?:embedded|incoming_webhook)_bots)$/.test(
        type,
      ),
  ),
};

/** The parameters of POST /register for a profile. */
export function registerParams(profile: ClientProfile): Record<string, unknown> {
  return {
    apply_markdown: profile.applyMarkdown,
    client_gravatar: profile.clientGravatar,
    slim_presence: profile.slimPresence,
    include_subscribers: profile.includeSubscribers,
    ...(profile.capabilities.size > 0 && {
      client_capabilities: Object.fromEntries([...profile.capabilities].map((capability) => [capability, true])),
    }),
    ...(profile.eventTypes && { event_types: profile.eventTypes }),
    ...(profile.fetchEventTypes && { fetch_event_types: profile.fetchEventTypes }),
  };
}
