/**
 * The fate of each column of each table when an organization is exported and imported. It comes along, or there is a
 * reason why it does not. A new table or column belongs in here.
 */

/** It comes along: ids as those of the copy. */
export const along = "along";
/** It comes along, and is compared where its rows are looked at as a whole. */
export const elsewhere = "elsewhere";

const ownId = "the copy's own id";
const ofServer = "belongs to the server and its nodes";
const secret = "a secret, which opens nothing elsewhere";
const passing = "passes within hours, and would be done twice";
const device = "a device or browser knows only the server that it registered with";

/** By table: columns, or why the table as a whole stays behind. */
export const columns: Readonly<Record<string, Readonly<Record<string, string>> | string>> = {
  installation: ofServer,
  directory: ofServer,
  directory_databases: ofServer,
  directory_identity: ofServer,
  directory_membership: ofServer,
  realm_moves: ofServer,
  letters: ofServer,
  migrations: ofServer,
  push_server_keys: ofServer,
  push_service: ofServer,
  relay_servers: ofServer,
  relay_realms: ofServer,
  relay_phones: ofServer,
  relay_keys: ofServer,
  push_service_realms: ofServer,
  push_registrations: passing,
  credentials: secret,
  sessions: secret,
  totp_factors: secret,
  recovery_codes: secret,
  passkeys: device,
  identities: "who somebody is at a provider, which has to know the other address first",
  one_time_links: secret,
  channel_mail_addresses: secret,
  reply_addresses: secret,
  scim_tokens: secret,
  scim_groups: "a directory finds groups of the copy by their names",
  scim_users: "a directory finds people of the copy by their addresses, and names them anew",
  invitations: "their links are secrets of this address",
  video_call_tokens: secret,
  devices: device,
  push_tokens: device,
  push_browsers: device,
  known_devices: device,
  realm_log: "what the clients of event queues were told",
  event_queues: "clients of another address register anew",
  imports: passing,
  emails: passing,
  webhook_calls: passing,
  webhook_failures: passing,
  missed_messages: passing,
  digests: passing,
  digest_days: passing,
  notification_cursors: passing,
  push_notifications: passing,
  unfinished_moves: passing,
  unfinished_uploads: passing,
  deleted_files: passing,
  search_rebuilds: "an import makes all words anew",
  shown_notifications: passing,
  spent_tokens: passing,
  realm_exports: "copies of what is in the export",
  legal_holds: "a duty of this server's operator: a compliance export hands over what is held",
  held_messages: "the same",
  held_files: "the same",
  erasures: "a duty of this server's operator: what it erased is in no export",
  audit_log: "a record of what was done on this server; `parley audit export` writes it into a file",
  audit_log_ends: "the same",
  realms: {
    id: ownId,
    host: "an import is told it",
    uuid: "another organization has another",
    is_deactivated: "an import makes one that is used",
    name: along,
    date_created: along,
    settings: along,
    ...all(
      `is_arriving position_reserved writer_epoch server_generation writer_serves_reads writer_node writer_system
       writer_timeline log_kept_until log_lost_until`,
      ofServer,
    ),
  },
  users: {
    ...all("id realm_id", ownId),
    api_key_version: "keys are new",
    ...all(
      `delivery_email full_name role is_active is_deleted is_bot is_system_bot bot_type bot_owner_id is_imported_stub
       date_joined first_login_at timezone avatar_source avatar_version avatar_path can_create_users
       can_change_user_emails settings profile_data alert_words status has_unconfirmed_email`,
      along,
    ),
  },
  channels: {
    ...all("id realm_id recipient_id", ownId),
    ...all("is_recently_active stream_weekly_traffic", "counted anew every few hours"),
    ...all(
      `name description rendered_description creator_id date_created invite_only is_web_public
       history_public_to_subscribers is_archived message_retention_days topics_policy folder_id first_message_id
       can_add_subscribers_group can_administer_channel_group can_create_topic_group can_delete_any_message_group
       can_delete_own_message_group can_move_messages_out_of_channel_group can_move_messages_within_channel_group
       can_remove_subscribers_group can_resolve_topics_group can_send_message_group can_subscribe_group`,
      along,
    ),
  },
  subscriptions: {
    realm_id: ownId,
    ...all(
      `user_id channel_id is_active color is_muted pin_to_top desktop_notifications audible_notifications
       push_notifications email_notifications wildcard_mentions_notify`,
      along,
    ),
  },
  user_groups: {
    ...all("id realm_id", ownId),
    ...all(
      `name description creator_id date_created is_system_group deactivated can_add_members_group can_join_group
       can_leave_group can_manage_group can_mention_group can_remove_members_group`,
      along,
    ),
  },
  user_group_members: { realm_id: ownId, ...all("group_id user_id", along) },
  user_group_subgroups: { realm_id: ownId, ...all("group_id subgroup_id", along) },
  channel_folders: {
    ...all("id realm_id", ownId),
    ...all("name description rendered_description date_created creator_id is_archived order", along),
  },
  linkifiers: {
    ...all("id realm_id", ownId),
    ...all("order pattern url_template example_input reverse_template alternative_url_templates", along),
  },
  playgrounds: { ...all("id realm_id", ownId), ...all("name pygments_language url_template", along) },
  realm_domains: { ...all("id realm_id", ownId), ...all("domain allow_subdomains", along) },
  custom_profile_fields: {
    ...all("id realm_id", ownId),
    ...all(
      `type name hint field_data order required editable_by_user display_in_profile_summary use_for_user_matching`,
      along,
    ),
  },
  realm_emoji: {
    ...all("id realm_id", ownId),
    ...all("name file_name deactivated author_id", along),
    is_animated: "told by the picture",
  },
  default_channels: { realm_id: ownId, channel_id: along },
  user_topics: {
    realm_id: ownId,
    ...all("user_id channel_id topic_key topic_name last_updated visibility_policy", along),
  },
  muted_users: { realm_id: ownId, ...all("user_id muted_user_id date_muted", along) },
  direct_conversations: { ...all("recipient_id realm_id", ownId), user_ids: along },
  direct_conversation_members: all("user_id recipient_id", elsewhere),
  messages: {
    ...all("id realm_id", ownId),
    search: "made of the others",
    ...all(
      `recipient_id channel_id sender_id topic content rendered_content sent_at client is_me_message has_link has_image
       has_attachment has_reaction read_by_sender channel_wildcard topic_wildcard mentioned topic_participants alerted
       edit_history last_edit_at last_moved_at`,
      along,
    ),
  },
  reactions: {
    ...all("id realm_id", ownId),
    ...all("message_id user_id emoji_name emoji_code reaction_type", along),
  },
  submessages: { ...all("id realm_id", ownId), ...all("message_id sender_id msg_type content", along) },
  received: { realm_id: ownId, ...all("user_id recipient_id ids", elsewhere) },
  read_states: { realm_id: ownId, ...all("user_id recipient_id ids has_segments", elsewhere) },
  read_segments: { realm_id: ownId, ...all("user_id recipient_id first ids", elsewhere) },
  message_flags: { realm_id: ownId, ...all("user_id message_id starred collapsed historical", along) },
  drafts: { ...all("id realm_id", ownId), ...all("user_id type to topic content timestamp", along) },
  saved_snippets: { ...all("id realm_id", ownId), ...all("user_id title content date_created", along) },
  navigation_views: {
    realm_id: ownId,
    position: "only their order",
    ...all("user_id fragment is_pinned name", along),
  },
  scheduled_messages: {
    ...all("id realm_id", ownId),
    ...all(
      `user_id type to topic content rendered_content scheduled_delivery_timestamp failed reminder_target_message_id
       note read_by_sender client`,
      along,
    ),
  },
  onboarding_steps: { realm_id: ownId, ...all("user_id name", along) },
  bot_storage: { realm_id: ownId, ...all("user_id key value", along) },
  attachments: {
    ...all("id realm_id", ownId),
    access_key: secret,
    unlinked_at: "counted from the import",
    ...all("quarantined_at scan_at scan_attempts", "decided by whoever runs the server it comes to"),
    ...all("owner_id file_name path_id size content_type create_time message_ids image", along),
  },
  presence: { realm_id: ownId, update_id: "a count of the server's", ...all("user_id active_at idle_at", along) },
};

function all(names: string, what: string): Record<string, string> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, what]),
  );
}
