-- What a directory that provisions accounts (SCIM) knows of an organization: the tokens by which it comes, and how it calls
-- accounts. Only a hash of a token is stored. An account that the directory has never named has no row.
create table scim_tokens (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  token_hash bytea not null unique, name text not null, creator_id bigint not null,
  date_created bigint not null, expires_at bigint not null,
  last_used bigint not null default 0                 -- 0: never
);
create index scim_tokens_realm on scim_tokens (realm_id);

create table scim_users (
  user_id bigint primary key, realm_id integer not null references realms on delete cascade,
  user_name text not null, user_name_key text not null,  -- the key is in lower case
  external_id text,
  attributes jsonb not null default '{}',             -- names and addresses as the directory wrote them
  is_removed boolean not null default false,          -- the directory has deleted it
  unique (realm_id, user_name_key)
);
create index scim_users_external on scim_users (realm_id, external_id) where external_id is not null;
create index scim_users_removed on scim_users (realm_id) where is_removed;
