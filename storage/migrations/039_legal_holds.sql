-- What may not be lost, whoever deletes it. A hold is on what a person wrote or was written directly, on a channel, or on
-- what a search finds. Messages that are deleted under a hold are kept here as they were, and so are files.
create table legal_holds (
  id bigint primary key,
  realm_id integer not null references realms on delete cascade,
  name text not null,
  user_id bigint, channel_id bigint, query text,
  creator_id bigint not null, date_created bigint not null,
  check (num_nonnulls(user_id, channel_id, query) = 1)
);
create index legal_holds_realm on legal_holds (realm_id);
create table held_messages (
  realm_id integer not null references realms on delete cascade,
  id bigint not null,
  hold_ids bigint[] not null,
  message jsonb not null,
  deleted_at bigint not null,
  primary key (realm_id, id)
);
create table held_files (
  realm_id integer not null references realms on delete cascade,
  path_id text not null,
  hold_ids bigint[] not null,
  file jsonb not null,
  primary key (realm_id, path_id)
);
