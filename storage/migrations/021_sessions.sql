-- What a person is shown of each browser's log-in, and by which id they end it.
alter table sessions add column id bigint not null default nextval('object_ids');
alter table sessions add column date_created bigint not null default extract(epoch from now())::bigint;
alter table sessions add column last_seen bigint not null default extract(epoch from now())::bigint;
alter table sessions add column user_agent text not null default '';
alter table sessions add column ip_address text not null default '';
update sessions set date_created = expires_at - 14 * 86400;
create index sessions_user on sessions (user_id);
-- A queue that a log-in registered ends with it.
alter table event_queues add column session_hash bytea references sessions on delete cascade;
create index event_queues_session on event_queues (session_hash) where session_hash is not null;
