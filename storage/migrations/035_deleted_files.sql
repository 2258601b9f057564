-- Files that nothing names any more, written in the transaction that took their last name away. Whoever asked removes
-- them at once; what a crash or an object store that was away has left, a job removes. `deleted_at`: UNIX seconds.
create table deleted_files (
  path text primary key,
  realm_id integer not null references realms on delete cascade,
  deleted_at bigint not null
);
create index deleted_files_deleted_at on deleted_files (deleted_at);
