/**
 * A person's own settings: defaults and accepted values. A user's row keeps only what differs.
 * https://zulip.com/api/update-settings
 */

export interface UserSetting<T extends boolean | number | string = boolean | number | string> {
  default: T;
  /** Accepted values, where a type is not enough. */
  oneOf?: readonly T[];
  max?: number;
  min?: number;
}

const on: UserSetting<boolean> = { default: true };
const off: UserSetting<boolean> = { default: false };
const choice = <const T extends number | string>(value: NoInfer<T>, ...oneOf: T[]): UserSetting<T> => ({
  default: value,
  oneOf,
});

export const emojisets = [
  { key: "google", text: "Google" },
  { key: "google-blob", text: "Google blobs" },
  { key: "twitter", text: "Twitter" },
  { key: "text", text: "Plain text" },
] as const;
export const notificationSounds = ["bell", "chime", "ding", "sharp", "slide", "zulip"] as const;

export const userSettings = {
  twenty_four_hour_time: off,
  starred_message_counts: on,
  display_emoji_reaction_users: on,
  emojiset: choice("google", ...emojisets.map(({ key }) => key)),
  presence_enabled: on,
  web_inbox_show_channel_folders: on,
  send_private_typing_notifications: on,
  send_stream_typing_notifications: on,
  receives_typing_notifications: on,
  send_read_receipts: on,
  pm_content_in_desktop_notifications: on,
  enter_sends: off,
  default_language: { default: "en" },
  web_home_view: choice("inbox", "inbox", "recent", "recent_topics", "all_messages"),
  web_escape_navigates_to_home_view: on,
  left_side_userlist: off,
  fluid_layout_width: off,
  high_contrast_mode: off,
  translate_emoticons: off,
  color_scheme: choice(1, 1, 2, 3),
  demote_inactive_streams: choice(1, 1, 2, 3),
  web_mark_read_on_scroll_policy: choice(1, 1, 2, 3),
  web_stream_unreads_count_display_policy: choice(2, 1, 2, 3),
  user_list_style: choice(2, 1, 2, 3),
  web_font_size_px: { default: 14, min: 10, max: 20 },
  web_line_height_percent: { default: 122, min: 114, max: 158 },
  notification_sound: choice("zulip", "none", ...notificationSounds),
  wildcard_mentions_notify: on,
  enable_stream_desktop_notifications: off,
  enable_stream_email_notifications: off,
  enable_stream_push_notifications: off,
  enable_stream_audible_notifications: off,
  enable_followed_topic_desktop_notifications: on,
  enable_followed_topic_email_notifications: on,
  enable_followed_topic_push_notifications: on,
  enable_followed_topic_audible_notifications: on,
  enable_followed_topic_wildcard_mentions_notify: on,
  enable_desktop_notifications: on,
  enable_sounds: on,
  enable_offline_email_notifications: on,
  enable_offline_push_notifications: on,
  enable_online_push_notifications: on,
  message_content_in_email_notifications: on,
  email_notifications_batching_period_seconds: { default: 120, min: 1, max: 604_800 },
  desktop_icon_count_display: choice(1, 1, 2, 3, 4),
  enable_digest_emails: on,
  enable_login_emails: on,
  enable_marketing_emails: on,
  realm_name_in_email_notifications_policy: choice(1, 1, 2, 3),
  automatically_follow_topics_policy: choice(3, 1, 2, 3, 4),
  automatically_unmute_topics_in_muted_streams_policy: choice(2, 1, 2, 3, 4),
  automatically_follow_topics_where_mentioned: on,
  enable_drafts_synchronization: on,
  email_address_visibility: choice(1, 1, 2, 3, 4, 5),
  allow_private_data_export: off,
  hide_ai_features: off,
  web_channel_default_view: choice(1, 1, 2, 3, 4),
  web_navigate_to_sent_message: on,
  web_animate_image_previews: choice("on_hover", "always", "never", "on_hover"),
  web_suggest_update_timezone: on,
  resolved_topic_notice_auto_read_policy: choice("except_followed", "always", "except_followed", "never"),
  web_left_sidebar_show_channel_folders: on,
  web_left_sidebar_unreads_count_summary: on,
} satisfies Record<string, UserSetting>;
export type UserSettingName = keyof typeof userSettings;

export function userSetting<N extends UserSettingName>(
  user: { settings: Record<string, unknown> },
  name: N,
): (typeof userSettings)[N]["default"] {
  return (user.settings[name] ?? userSettings[name].default) as (typeof userSettings)[N]["default"];
}
