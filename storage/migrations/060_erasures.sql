-- People whose data is being erased, or was. `names` are what they were called, and are emptied at the end. `mentions_to` and
-- `reactions_to` say how far the walks through messages are, so that one that was ended goes on there. UNIX seconds.
create table erasures (
  realm_id integer not null references realms on delete cascade,
  user_id bigint not null,
  deletes_messages boolean not null,
  names jsonb not null,
  begun_at bigint not null, touched_at bigint not null, finished_at bigint,
  mentions_to bigint not null default 0, reactions_to bigint not null default 0,
  counts jsonb not null default '{}',
  primary key (realm_id, user_id)
);
create index erasures_unfinished on erasures (touched_at) where finished_at is null;
