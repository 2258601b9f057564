-- `parley push-relay`: servers that may send, their organizations, and the phones that they told of.
create table relay_servers (
  id uuid primary key, key_hash bytea not null, hostname text not null unique, contact_email text not null,
  registered_at bigint not null, last_audit_row bigint not null default 0
);
create table relay_realms (
  uuid uuid primary key, server_id uuid not null references relay_servers on delete cascade
);
create table relay_phones (
  server_id uuid not null references relay_servers on delete cascade,
  owner uuid not null,                                      -- a person; of a device with a key: its organization
  token_id text,                                            -- of a device with a key
  kind text not null, token text not null, appid text, registered_at bigint not null,
  primary key (server_id, owner, kind, token)
);
-- To which devices seal their tokens.
create table relay_keys (
  is_only boolean primary key default true check (is_only), public_key text not null, private_key_sealed bytea not null
);
