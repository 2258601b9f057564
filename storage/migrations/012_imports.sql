-- Imports that are under way: what they have taken and done, so that one that was cut off goes on.
create table imports (
  source text primary key,                             -- tells the archive from others
  realm_id integer not null references realms on delete cascade,
  plan jsonb not null, done text[] not null default '{}'
);
