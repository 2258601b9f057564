-- Times are UNIX seconds (bigint) as on the wire; group-setting values are jsonb: a group id, or
-- {"direct_members": [...], "direct_subgroups": [...]}.

create sequence realm_ids;
create sequence user_ids;
create sequence channel_ids;
create sequence group_ids;
create sequence recipient_ids;
create sequence object_ids;                            -- folders, linkifiers, drafts and other small things
create sequence message_id_blocks increment by 1000;   -- a realm takes ids block by block: increasing inside a realm

create table realms (
  id                 integer primary key default nextval('realm_ids'),
  host               text unique,                      -- null: answers to any host
  name               text not null,
  date_created       bigint not null,
  is_deactivated     boolean not null default false,
  settings           jsonb not null default '{}',      -- only what differs from the defaults
  position_reserved  bigint not null default 0,        -- no position above this one was ever handed out
  writer_epoch       bigint not null default 0         -- bumped by each new writer: fences the one before
);

-- Tells this installation from others that its nodes may share a Redis with.
create table installation (id uuid not null default gen_random_uuid());
insert into installation default values;

-- What a realm's replicas hold in memory.

create table users (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  delivery_email text not null, full_name text not null, role smallint not null default 400,
  is_active boolean not null default true, is_deleted boolean not null default false,
  is_bot boolean not null default false, is_system_bot boolean not null default false,
  bot_type smallint, bot_owner_id bigint, is_imported_stub boolean not null default false,
  date_joined bigint not null, first_login_at bigint, timezone text not null default '',
  avatar_source text not null default 'G', avatar_version integer not null default 1, avatar_path text,
  api_key_version integer not null default 1,
  can_create_users boolean not null default false, can_change_user_emails boolean not null default false,
  settings jsonb not null default '{}', profile_data jsonb not null default '{}',
  alert_words jsonb not null default '[]', status jsonb not null default '{}'
);
create unique index users_email on users (realm_id, lower(delivery_email)) where not is_deleted;
create index users_bots on users (realm_id, bot_owner_id) where is_bot;

create table channels (
  id bigint primary key, realm_id integer not null references realms on delete cascade, recipient_id bigint not null unique,
  name text not null, description text not null default '', rendered_description text not null default '',
  creator_id bigint, date_created bigint not null,
  invite_only boolean not null default false, is_web_public boolean not null default false,
  history_public_to_subscribers boolean not null default true,
  is_archived boolean not null default false, message_retention_days integer,
  topics_policy text not null default 'inherit', folder_id bigint,
  first_message_id bigint, is_recently_active boolean not null default true, stream_weekly_traffic integer,
  can_add_subscribers_group jsonb not null, can_administer_channel_group jsonb not null,
  can_create_topic_group jsonb not null, can_delete_any_message_group jsonb not null,
  can_delete_own_message_group jsonb not null, can_move_messages_out_of_channel_group jsonb not null,
  can_move_messages_within_channel_group jsonb not null, can_remove_subscribers_group jsonb not null,
  can_resolve_topics_group jsonb not null, can_send_message_group jsonb not null, can_subscribe_group jsonb not null
);
create unique index channels_name on channels (realm_id, lower(name)) where not is_archived;

create table subscriptions (
  user_id bigint not null, channel_id bigint not null, realm_id integer not null references realms on delete cascade,
  is_active boolean not null default true,             -- false: was subscribed, keeps colour and history
  color integer not null, is_muted boolean not null default false, pin_to_top boolean not null default false,
  desktop_notifications boolean, audible_notifications boolean, push_notifications boolean,
  email_notifications boolean, wildcard_mentions_notify boolean,
  primary key (user_id, channel_id)
);
create index subscriptions_realm on subscriptions (realm_id, channel_id, user_id);

create table user_groups (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  name text not null, description text not null default '', creator_id bigint, date_created bigint,
  is_system_group boolean not null default false, deactivated boolean not null default false,
  can_add_members_group jsonb not null, can_join_group jsonb not null, can_leave_group jsonb not null,
  can_manage_group jsonb not null, can_mention_group jsonb not null, can_remove_members_group jsonb not null
);
create unique index user_groups_name on user_groups (realm_id, lower(name));
create table user_group_members (
  group_id bigint not null, user_id bigint not null, realm_id integer not null references realms on delete cascade,
  primary key (group_id, user_id)
);
create table user_group_subgroups (
  group_id bigint not null, subgroup_id bigint not null, realm_id integer not null references realms on delete cascade,
  primary key (group_id, subgroup_id)
);

create table channel_folders (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  name text not null, description text not null default '', rendered_description text not null default '',
  date_created bigint not null, creator_id bigint, is_archived boolean not null default false, "order" integer not null
);
create table linkifiers (
  id bigint primary key, realm_id integer not null references realms on delete cascade, "order" integer not null,
  pattern text not null, url_template text not null, example_input text, reverse_template text,
  alternative_url_templates jsonb not null default '[]'
);
create table playgrounds (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  name text not null, pygments_language text not null, url_template text not null
);
create table realm_domains (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  domain text not null, allow_subdomains boolean not null default false
);
create table custom_profile_fields (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  type smallint not null, name text not null, hint text not null default '', field_data text not null default '',
  "order" integer not null, required boolean not null default false, editable_by_user boolean not null default true,
  display_in_profile_summary boolean not null default false
);
create table realm_emoji (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  name text not null, file_name text not null, is_animated boolean not null default false,
  deactivated boolean not null default false, author_id bigint
);
create table default_channels (
  channel_id bigint primary key, realm_id integer not null references realms on delete cascade
);
create table user_topics (
  user_id bigint not null, channel_id bigint not null, topic_key text not null, realm_id integer not null references realms on delete cascade,
  topic_name text not null, last_updated bigint not null, visibility_policy smallint not null,
  primary key (user_id, channel_id, topic_key)
);
create table muted_users (
  user_id bigint not null, muted_user_id bigint not null, realm_id integer not null references realms on delete cascade,
  date_muted bigint not null, primary key (user_id, muted_user_id)
);

-- What only PostgreSQL holds.

create table credentials (
  user_id bigint primary key references users on delete cascade,
  realm_id integer not null references realms on delete cascade,
  api_key text not null unique, password_hash text
);

create table direct_conversations (
  recipient_id bigint primary key default nextval('recipient_ids'),
  realm_id integer not null references realms on delete cascade,
  user_ids bigint[] not null,                          -- ascending, every participant, the sender too
  unique (realm_id, user_ids)
);
create table direct_conversation_members (
  user_id bigint not null, recipient_id bigint not null references direct_conversations on delete cascade,
  primary key (user_id, recipient_id)
);

create table messages (
  id bigint not null, realm_id integer not null references realms on delete cascade,
  recipient_id bigint not null, channel_id bigint,     -- channel_id null: a direct message
  sender_id bigint not null, topic text not null default '',
  content text not null, rendered_content text not null,
  sent_at bigint not null, client text not null,
  is_me_message boolean not null default false, has_link boolean not null default false,
  has_image boolean not null default false, has_attachment boolean not null default false, has_reaction boolean not null default false,
  read_by_sender boolean not null default false,
  channel_wildcard boolean not null default false, topic_wildcard boolean not null default false,
  mentioned bigint[],                                  -- users mentioned by name or through a group
  topic_participants bigint[],                         -- whom a topic wildcard reached
  alerted bigint[],                                    -- users whose alert words it has
  edit_history jsonb, last_edit_at bigint, last_moved_at bigint,
  -- Words; the parts of the history that the message is in, of 2^12, 2^16 and 2^20 ids (#n, ##n, ###n); its conversation (@n);
  -- and what it has or is. So a search can ask the index for the words of one part or conversation. No word begins with "#" or "@".
  search tsvector generated always as (to_tsvector('english', topic || ' ' || content) || array_to_tsvector(array_remove(array[
    '#' || (id >> 12)::text, '##' || (id >> 16)::text, '###' || (id >> 20)::text, '@' || recipient_id::text,
    case when has_link then '#link' end, case when has_image then '#image' end,
    case when has_attachment then '#attachment' end, case when starts_with(topic, '✔ ') then '#resolved' end], null))) stored,
  primary key (realm_id, id)
);
create index messages_recipient on messages (recipient_id, id);
create index messages_topic on messages (recipient_id, lower(topic), id) where channel_id is not null;
create index messages_sender on messages (sender_id, id);
-- Every search reads the list of what is not sorted in yet, and some send has to sort it in: it is kept short.
create index messages_search on messages using gin (search) with (gin_pending_list_limit = 512);
create index messages_mentioned on messages using gin (mentioned) where mentioned is not null;
create index messages_alerted on messages using gin (alerted) where alerted is not null;
create index messages_wildcard on messages (recipient_id, id) where channel_wildcard or topic_wildcard;
create index messages_sent_at on messages using brin (sent_at);

create table reactions (
  message_id bigint not null, user_id bigint not null, realm_id integer not null references realms on delete cascade,
  emoji_name text not null, emoji_code text not null, reaction_type text not null,
  id bigint not null default nextval('object_ids'),
  primary key (message_id, user_id, reaction_type, emoji_code)
);
create table submessages (
  id bigint primary key default nextval('object_ids'), message_id bigint not null, realm_id integer not null references realms on delete cascade,
  sender_id bigint not null, msg_type text not null, content text not null
);
create index submessages_message on submessages (message_id);

-- What a user received in a channel, and what of a conversation they have read, as sets of message ids.
create table received (
  user_id bigint not null, recipient_id bigint not null, realm_id integer not null references realms on delete cascade,
  ids int8multirange not null, primary key (user_id, recipient_id)
);
create table read_states (
  user_id bigint not null, recipient_id bigint not null, realm_id integer not null references realms on delete cascade,
  ids int8multirange not null, primary key (user_id, recipient_id)
);
create index received_recipient on received (recipient_id);
create index read_states_recipient on read_states (recipient_id);
-- Flags that few messages have: starred, collapsed, and historical for those never received.
create table message_flags (
  user_id bigint not null, message_id bigint not null, realm_id integer not null references realms on delete cascade,
  starred boolean not null default false, collapsed boolean not null default false, historical boolean not null default false,
  primary key (user_id, message_id)
);
create index message_flags_message on message_flags (message_id);
create index message_flags_starred on message_flags (user_id, message_id) where starred;

create table drafts (
  id bigint primary key, realm_id integer not null references realms on delete cascade, user_id bigint not null,
  type text not null, "to" jsonb not null, topic text not null, content text not null, timestamp double precision not null
);
create index drafts_user on drafts (user_id, timestamp desc);
create table saved_snippets (
  id bigint primary key, realm_id integer not null references realms on delete cascade, user_id bigint not null,
  title text not null, content text not null, date_created bigint not null
);
create index saved_snippets_user on saved_snippets (user_id);
create table navigation_views (
  user_id bigint not null, fragment text not null, realm_id integer not null references realms on delete cascade,
  is_pinned boolean not null, name text, position bigint not null default nextval('object_ids'), primary key (user_id, fragment)
);
create table scheduled_messages (
  id bigint primary key, realm_id integer not null references realms on delete cascade, user_id bigint not null,
  type text not null, "to" jsonb not null, topic text not null default '', content text not null, rendered_content text not null,
  scheduled_delivery_timestamp bigint not null, failed boolean not null default false,
  reminder_target_message_id bigint, note text, read_by_sender boolean not null default true,
  client text not null
);
create index scheduled_messages_due on scheduled_messages (scheduled_delivery_timestamp) where not failed;
create index scheduled_messages_user on scheduled_messages (user_id);
create table onboarding_steps (
  user_id bigint not null, name text not null, realm_id integer not null references realms on delete cascade, primary key (user_id, name)
);
create table bot_storage (
  user_id bigint not null, key text not null, realm_id integer not null references realms on delete cascade,
  value text not null, primary key (user_id, key)
);
create table invitations (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  key text not null unique, email text,                -- email null: a reusable link
  invited_by bigint not null, date_created bigint not null, expires_at bigint, state text not null default 'open',
  invite_as smallint not null, stream_ids jsonb not null default '[]', group_ids jsonb not null default '[]',
  include_realm_default_subscriptions boolean not null default false, welcome_message_custom_text text,
  notify_referrer_on_join boolean not null default true
);
create index invitations_realm on invitations (realm_id, invited_by);
create index invitations_open on invitations (realm_id, expires_at) where state = 'open';
create table devices (
  id bigint primary key, realm_id integer not null references realms on delete cascade, user_id bigint not null,
  date_created bigint not null, push_key_id bigint, push_key text, push_token_id text, pending_push_token_id text,
  push_token_kind text, push_token_last_updated_timestamp bigint, push_registration_error_code text,
  bouncer_public_key text, encrypted_push_registration text
);
create index devices_user on devices (user_id);
create table push_tokens (
  user_id bigint not null, kind text not null, token text not null, realm_id integer not null references realms on delete cascade,
  appid text, date_created bigint not null, primary key (user_id, kind, token)
);
create table attachments (
  id bigint primary key, realm_id integer not null references realms on delete cascade, owner_id bigint not null,
  file_name text not null, path_id text not null unique, size bigint not null, content_type text not null,
  create_time bigint not null, message_ids bigint[] not null default '{}',
  access_key text not null                             -- signs addresses that work for a minute without a login
);
create index attachments_realm on attachments (realm_id) include (size);
create index attachments_owner on attachments (owner_id);
create index attachments_messages on attachments using gin (message_ids);
create table presence (
  user_id bigint primary key, realm_id integer not null references realms on delete cascade,
  active_at bigint, idle_at bigint, update_id bigint not null
);
create index presence_realm on presence (realm_id);
create table sessions (
  token_hash bytea primary key, realm_id integer not null references realms on delete cascade, user_id bigint not null,
  csrf_token text not null, expires_at bigint not null
);

-- The realm's log. Positions are unique by the writer's epoch, not by an index: old rows go a whole partition at a time.
create table realm_log (
  realm_id integer not null, position bigint not null, logged_at bigint not null, entry json not null
) partition by range (logged_at);
create index realm_log_position on realm_log (realm_id, position);

create table event_queues (
  id uuid primary key, realm_id integer not null references realms on delete cascade, user_id bigint not null,
  registration jsonb not null, start_position bigint not null, snapshot_position bigint not null, cursor bigint not null,
  idle_timeout_secs integer not null, seen_at bigint not null,
  claim integer not null default 0                     -- counts how often a node took the queue over: the last one has it
);
create index event_queues_seen on event_queues (seen_at);
create index event_queues_user on event_queues (user_id);
