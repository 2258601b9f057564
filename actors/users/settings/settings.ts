/**
 * A person's own settings: defaults and accepted values. A user's row keeps only what differs.
 * https://zulip.com/api/update-settings
 */

export interface UserSetting<T extends boolean | number | string = boolean | number | string> {
  default: T;
  /** What it means, for the API's description. */
  words: string;
  /** Accepted values, where a type is not enough. */
  oneOf?: readonly T[];
  max?: number;
  min?: number;
}

const on = (words: string): UserSetting<boolean> => ({ words, default: true });
const off = (words: string): UserSetting<boolean> => ({ words, default: false });
const choice = <const T extends number | string>(words: string, value: NoInfer<T>, ...oneOf: T[]): UserSetting<T> => ({
  words,
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
  twenty_four_hour_time: off("Whether times are shown by a 24-hour clock."),
  starred_message_counts: on("Whether the number of starred messages is shown."),
  display_emoji_reaction_users: on("Whether reactions name people, while they are few."),
  emojiset: choice("How emoji look.", "google", ...emojisets.map(({ key }) => key)),
  presence_enabled: on("Whether others see that the person is there."),
  web_inbox_show_channel_folders: on("Whether the inbox is grouped by folders of channels."),
  send_private_typing_notifications: on("Whether others see that the person writes a direct message."),
  send_stream_typing_notifications: on("Whether others see that the person writes in a channel."),
  receives_typing_notifications: on("Whether the person sees that others write."),
  send_read_receipts: on("Whether others see what the person has read."),
  pm_content_in_desktop_notifications: on("Whether notifications show what direct messages say."),
  enter_sends: off("Whether Enter sends; else Ctrl and Enter do."),
  default_language: { words: "The language, such as `en` or `de`.", default: "en" },
  web_home_view: choice("What the page shows first.", "inbox", "inbox", "recent", "recent_topics", "all_messages"),
  web_escape_navigates_to_home_view: on("Whether Escape leads back there."),
  left_side_userlist: off("Whether people are listed on the left, in a narrow window."),
  fluid_layout_width: off("Whether the page is as wide as the window."),
  high_contrast_mode: off("Whether colours have more contrast."),
  translate_emoticons: off("Whether `:)` becomes an emoji."),
  color_scheme: choice("1 as the system, 2 dark, 3 light.", 1, 1, 2, 3),
  demote_inactive_streams: choice(
    "Whether channels in which nobody writes are listed last: 1 when there are many, 2 always, 3 never.",
    1,
    1,
    2,
    3,
  ),
  web_mark_read_on_scroll_policy: choice(
    "Whether scrolling marks messages read: 1 always, 2 in conversations, 3 never.",
    1,
    1,
    2,
    3,
  ),
  web_stream_unreads_count_display_policy: choice(
    "Which channels show how much is unread: 1 all, 2 those that are not muted, 3 none.",
    2,
    1,
    2,
    3,
  ),
  user_list_style: choice("How people are listed: 1 compact, 2 with their status, 3 with their picture.", 2, 1, 2, 3),
  web_font_size_px: { words: "The text's size, in pixels.", default: 14, min: 10, max: 20 },
  web_line_height_percent: { words: "The text's line height, in percent.", default: 122, min: 114, max: 158 },
  notification_sound: choice("The sound of notifications, or `none`.", "zulip", "none", ...notificationSounds),
  wildcard_mentions_notify: on("Whether `@all` notifies like a mention."),
  enable_stream_desktop_notifications: off("Whether channel messages notify on the desktop."),
  enable_stream_email_notifications: off("Whether channel messages are told by email."),
  enable_stream_push_notifications: off("Whether channel messages notify phones."),
  enable_stream_audible_notifications: off("Whether channel messages make a sound."),
  enable_followed_topic_desktop_notifications: on("Whether followed topics notify on the desktop."),
  enable_followed_topic_email_notifications: on("Whether followed topics are told by email."),
  enable_followed_topic_push_notifications: on("Whether followed topics notify phones."),
  enable_followed_topic_audible_notifications: on("Whether followed topics make a sound."),
  enable_followed_topic_wildcard_mentions_notify: on("Whether `@all` in a followed topic notifies like a mention."),
  enable_desktop_notifications: on("Whether direct messages and mentions notify on the desktop."),
  enable_sounds: on("Whether direct messages and mentions make a sound."),
  enable_offline_email_notifications: on(
    "Whether direct messages and mentions are told by email, while the person is away.",
  ),
  enable_offline_push_notifications: on("Whether direct messages and mentions notify phones."),
  enable_online_push_notifications: on("Whether phones are notified also while the person is here."),
  message_content_in_email_notifications: on("Whether emails say what messages say."),
  email_notifications_batching_period_seconds: {
    words: "For how many seconds messages are gathered before an email is sent.",
    default: 120,
    min: 1,
    max: 604_800,
  },
  desktop_icon_count_display: choice(
    "What the icon counts: 1 all unread, 2 direct messages, mentions and followed topics, 3 those without topics, 4 nothing.",
    1,
    1,
    2,
    3,
    4,
  ),
  enable_digest_emails: on("Whether the person gets digests by email."),
  enable_login_emails: on("Whether the person is told by email of log-ins from new devices."),
  enable_marketing_emails: on("Whether the person wants news of Zulip; this server sends none."),
  realm_name_in_email_notifications_policy: choice(
    "Whether emails name the organization: 1 when there are several, 2 always, 3 never.",
    1,
    1,
    2,
    3,
  ),
  automatically_follow_topics_policy: choice(
    "Which topics one follows: 1 any taken part in, 2 any written in, 3 any begun, 4 none.",
    3,
    1,
    2,
    3,
    4,
  ),
  automatically_unmute_topics_in_muted_streams_policy: choice(
    "Which topics of muted channels are unmuted by themselves: 1 any taken part in, 2 any written in, 3 any begun, 4 none.",
    2,
    1,
    2,
    3,
    4,
  ),
  automatically_follow_topics_where_mentioned: on("Whether topics in which the person is mentioned are followed."),
  enable_drafts_synchronization: on("Whether drafts are kept on the server."),
  email_address_visibility: choice(
    "Who sees the address: 1 everybody, 2 members, 3 administrators, 4 nobody, 5 moderators.",
    1,
    1,
    2,
    3,
    4,
    5,
  ),
  allow_private_data_export: off("Whether the person's private data may be exported."),
  hide_ai_features: off("Whether what language models do is hidden."),
  web_channel_default_view: choice(
    "What a channel opens with: 1 its newest topic, 2 its messages, 3 its topics, 4 its newest unread topic.",
    1,
    1,
    2,
    3,
    4,
  ),
  web_navigate_to_sent_message: on("Whether the page shows the conversation of what was just sent."),
  web_animate_image_previews: choice(
    "When pictures move: always, under the mouse, or never.",
    "on_hover",
    "always",
    "never",
    "on_hover",
  ),
  web_suggest_update_timezone: on("Whether to offer another time zone when the device's is another."),
  resolved_topic_notice_auto_read_policy: choice(
    "Whether notes that a topic is resolved count as read.",
    "except_followed",
    "always",
    "except_followed",
    "never",
  ),
  web_left_sidebar_show_channel_folders: on("Whether channels on the left are grouped by folders."),
  web_left_sidebar_unreads_count_summary: on("Whether the left shows how much is unread in each group."),
} satisfies Record<string, UserSetting>;
export type UserSettingName = keyof typeof userSettings;

export function userSetting<N extends UserSettingName>(
  user: { settings: Record<string, unknown> },
  name: N,
): (typeof userSettings)[N]["default"] {
  return (user.settings[name] ?? userSettings[name].default) as (typeof userSettings)[N]["default"];
}
