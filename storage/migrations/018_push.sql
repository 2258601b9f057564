-- Notifications that wait for the word of the relay, or of a browser's push service, that it has them.
create table push_notifications (
  id bigint primary key default nextval('object_ids'), realm_id integer not null references realms on delete cascade,
  user_id bigint not null,
  notification_id uuid not null default gen_random_uuid(),  -- the same with each attempt
  target text not null,                                     -- devices, tokens: all of a person's; browser: that one
  browser_id bigint,
  message_id bigint, removed_ids bigint[],                  -- what is shown, or what is shown no longer
  attempts integer not null default 0, next_attempt_at bigint not null, expires_at bigint not null
);
create index push_notifications_due on push_notifications (next_attempt_at);
-- What phones show, as far as is known: it is taken away when it is read.
create table shown_notifications (
  user_id bigint not null, message_id bigint not null, realm_id integer not null references realms on delete cascade,
  shown_at bigint not null, primary key (user_id, message_id)
);
create index shown_notifications_message on shown_notifications (message_id);
create index shown_notifications_realm on shown_notifications (realm_id);
-- Browsers that are told while no page is open, each as long as it is logged in.
create table push_browsers (
  id bigint primary key default nextval('object_ids'), realm_id integer not null references realms on delete cascade,
  user_id bigint not null, session_hash bytea not null unique references sessions on delete cascade,
  endpoint text not null unique, public_key text not null, auth_secret text not null, date_created bigint not null
);
create index push_browsers_user on push_browsers (user_id);
-- By which push services know this server.
create table push_server_keys (
  is_only boolean primary key default true, public_key text not null, private_key text not null
);
