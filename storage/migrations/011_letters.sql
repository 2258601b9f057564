-- Letters between nodes while Redis is away. Nobody misses them after a crash.
create unlogged table letters (
  id bigint generated always as identity primary key, recipient text not null, sealed bytea not null,
  sent_at timestamptz not null default now()
);
create index letters_recipient on letters (recipient, id);
