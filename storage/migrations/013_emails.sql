-- Emails that wait for the mail server's word that it has them.
create table emails (
  id bigint primary key default nextval('object_ids'), realm_id integer not null references realms on delete cascade,
  message_id uuid not null default gen_random_uuid(),  -- the same with each attempt
  kind text not null, about_id bigint,                 -- what it is about; what that is, the kind says
  recipient text not null, letter jsonb not null,
  link jsonb,                                          -- the one-time link that is made when it is sent
  created_at bigint not null, expires_at bigint not null,
  attempts integer not null default 0, next_attempt_at bigint not null
);
create index emails_due on emails (next_attempt_at);
create index emails_about on emails (realm_id, kind, about_id);
-- Links by which whoever has them does one thing, once. Only a hash of the secret in each is stored.
create table one_time_links (
  token_hash bytea primary key, realm_id integer not null references realms on delete cascade,
  user_id bigint not null, purpose text not null, email text not null, expires_at bigint not null
);
create index one_time_links_user on one_time_links (user_id);
create index one_time_links_expiry on one_time_links (expires_at);
-- What people have logged in with: they are told of a log-in with anything else.
create table known_devices (
  user_id bigint not null, device_hash bytea not null, realm_id integer not null references realms on delete cascade,
  seen_at bigint not null, primary key (user_id, device_hash)
);
