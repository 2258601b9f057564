-- Who did what. `entry` is the text that is hashed, so it is json, which keeps every byte; what is searched for is taken
-- from it by PostgreSQL, and cannot differ from it. `hash` is that of the row before followed by `entry`: SHA-256, hex.
create table audit_log (
  realm_id integer not null references realms on delete cascade,
  num bigint not null,
  entry json not null,
  hash text not null,
  event_time bigint not null generated always as ((entry->>'event_time')::bigint) stored,
  event_type text not null generated always as (entry->>'event_type') stored,
  acting_user_id integer generated always as ((entry->>'acting_user_id')::integer) stored,
  modified_stream_id integer generated always as ((entry->>'modified_stream_id')::integer) stored,
  modified_user_group_id integer generated always as ((entry->>'modified_user_group_id')::integer) stored,
  -- PostgreSQL makes no list of a part of json in such a column. `parley audit verify` compares this one with `entry`.
  modified_user_ids integer[] not null,
  primary key (realm_id, num)
);
create index audit_log_time on audit_log (realm_id, event_time);
create index audit_log_type on audit_log (realm_id, event_type, num);
create index audit_log_acting on audit_log (realm_id, acting_user_id, num);
create index audit_log_stream on audit_log (realm_id, modified_stream_id, num) where modified_stream_id is not null;
create index audit_log_group on audit_log (realm_id, modified_user_group_id, num) where modified_user_group_id is not null;
create index audit_log_users on audit_log using gin (modified_user_ids);

-- The end of each log: without it nobody would see that the last rows are missing.
create table audit_log_ends (
  realm_id integer primary key references realms on delete cascade,
  num bigint not null,
  hash text not null
);

-- Nothing changes or removes a row, but the end of its organization.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and not exists (select from realms where id = old.realm_id) then return old; end if;
  raise exception 'the audit log is only added to';
end $$;
create trigger refuse_audit_change before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger refuse_audit_truncate before truncate on audit_log
  for each statement execute function refuse_audit_change();
