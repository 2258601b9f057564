-- How a push notification service knows this server. Its operator agreed to the service's terms.
create table push_service (
  is_only boolean primary key default true check (is_only),
  url text not null, org_id uuid not null, org_key_sealed bytea not null,
  hostname text not null, contact_email text not null, agreed_at bigint not null,
  registered_at bigint                                      -- null: the service has not confirmed it
);
-- What that service is still to be told of phones.
create table push_registrations (
  id bigint primary key default nextval('object_ids'), realm_id integer not null references realms on delete cascade,
  user_id bigint not null,
  task text not null,                                       -- add, remove: a token; remove_all: of a user; device
  kind text, token text, appid text,
  device_id bigint,
  attempts integer not null default 0, next_attempt_at bigint not null, expires_at bigint not null
);
create index push_registrations_due on push_registrations (next_attempt_at);
create index push_registrations_user on push_registrations (user_id);
