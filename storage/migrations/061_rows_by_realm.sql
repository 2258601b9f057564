-- A realm is loaded by these, and thousands of them may share the tables: without an index each load reads the rows of all. An
-- update that leaves realm_id alone stays in its place.
create index users_realm on users (realm_id);
create index channels_realm on channels (realm_id);
create index channel_folders_realm on channel_folders (realm_id);
create index default_channels_realm on default_channels (realm_id);
create index user_group_members_realm on user_group_members (realm_id);
create index user_group_subgroups_realm on user_group_subgroups (realm_id);
create index user_topics_realm on user_topics (realm_id);
create index muted_users_realm on muted_users (realm_id);
create index linkifiers_realm on linkifiers (realm_id);
create index playgrounds_realm on playgrounds (realm_id);
create index realm_domains_realm on realm_domains (realm_id);
create index realm_emoji_realm on realm_emoji (realm_id);
create index custom_profile_fields_realm on custom_profile_fields (realm_id);
create index event_queues_realm on event_queues (realm_id);
