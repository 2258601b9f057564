-- Passkeys of people (WebAuthn). The keys are public ones. `sign_count` is the last number that the authenticator told: a
-- smaller one comes from a copy. A blocked passkey opens nothing, and still counts as a second factor.
create table passkeys (
  id bigint primary key,
  user_id bigint not null references users on delete cascade,
  realm_id integer not null references realms on delete cascade,
  credential_id bytea not null, public_key bytea not null, sign_count bigint not null,
  transports text not null, is_synced boolean not null, name text not null,
  date_created bigint not null, last_used bigint, is_blocked boolean not null default false,
  unique (realm_id, credential_id)
);
create index passkeys_user on passkeys (user_id);
