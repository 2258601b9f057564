-- Uploads that come in parts (tus). What has come of one is in a file of its own until all of it is there. `metadata` is
-- what its client said of it, as it said it. After `expires_at` (UNIX seconds) both are removed.
create table unfinished_uploads (
  id text primary key,
  realm_id integer not null references realms on delete cascade,
  owner_id bigint not null references users on delete cascade,
  file_name text not null, content_type text not null, size bigint not null, metadata text not null,
  path_id text not null, is_attached boolean not null default false, expires_at bigint not null
);
create index unfinished_uploads_owner_id on unfinished_uploads (owner_id);
create index unfinished_uploads_expires_at on unfinished_uploads (expires_at);
