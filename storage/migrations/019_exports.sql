-- Exports of organizations that somebody asked for.
create table realm_exports (
  id bigint primary key, realm_id integer not null references realms on delete cascade,
  acting_user_id bigint not null, type text not null,
  requested_at bigint not null, finished_at bigint,    -- UNIX seconds
  state text not null default 'pending',               -- then done or failed; a done one may become deleted
  attempts integer not null default 0,
  file text not null                                   -- its name, without the number of the attempt
);
create index realm_exports_realm on realm_exports (realm_id, id);
create index realm_exports_pending on realm_exports (realm_id) where state = 'pending';
