-- What somebody has read who reads here and there. A set of many ranges is in rows of few, so that reading a message
-- writes few bytes: each row has the ids from `first` to before the next row's. Those of `read_states` count as well.
create table read_segments (
  user_id bigint not null, recipient_id bigint not null, realm_id integer not null references realms on delete cascade,
  first bigint not null, ids int8multirange not null,
  primary key (user_id, recipient_id, first)
) with (toast_tuple_target = 4080, fillfactor = 70);

alter table read_states add column has_segments boolean not null default false;

-- Nodes of the version before know `read_states` alone. They have until then (UNIX seconds) to be replaced.
alter table installation add column whole_read_states_until bigint not null default 0;
update installation set whole_read_states_until = extract(epoch from now())::bigint + 3600
where exists (select from read_states);

-- Puts what a row of `read_states` has into segments when it has become long.
create or replace function fold_read_state() returns trigger language plpgsql as $$
declare
  folded int8multirange;
begin
  if (select whole_read_states_until > extract(epoch from now()) from installation) then return null; end if;
  select ids into folded from read_states
  where user_id = new.user_id and recipient_id = new.recipient_id for update;
  update read_states set ids = '{}', has_segments = true
  where user_id = new.user_id and recipient_id = new.recipient_id;
  insert into read_segments (user_id, recipient_id, realm_id, first, ids)
  select new.user_id, new.recipient_id, new.realm_id, touched.first, folded * int8multirange(int8range(touched.first, (
    select min(s.first) from read_segments s
    where s.user_id = new.user_id and s.recipient_id = new.recipient_id and s.first > touched.first)))
  from (
    select coalesce((
      select max(s.first) from read_segments s
      where s.user_id = new.user_id and s.recipient_id = new.recipient_id and s.first <= lower(part)), 0) as first
    from unnest(folded) as part
    union
    select s.first from unnest(folded) as part join read_segments s
      on s.user_id = new.user_id and s.recipient_id = new.recipient_id and s.first > lower(part) and s.first < upper(part)
  ) touched
  on conflict (user_id, recipient_id, first) do update set ids = read_segments.ids + excluded.ids;
  return null;
end $$;
-- A backup has the segments of what it inserts.
create trigger fold_new_read_state after insert on read_states
  for each row when (pg_column_size(new.ids) > 1000 and not new.has_segments) execute function fold_read_state();
create trigger fold_read_state after update on read_states
  for each row when (pg_column_size(new.ids) > 1000) execute function fold_read_state();

-- Makes several segments of one that has become long. Some 40 ranges are 900 bytes.
create or replace function split_read_segment() returns trigger language plpgsql as $$
begin
  with long as (
    select ids from read_segments
    where user_id = new.user_id and recipient_id = new.recipient_id and first = new.first for update),
  parts as (
    select part, ntile((select ceil(count(*) / 40.0)::int from unnest(ids))) over (order by part) as place
    from long cross join unnest(ids) as part),
  segments as materialized (select place, min(lower(part)) as first, range_agg(part) as ids from parts group by place),
  added as (
    insert into read_segments (user_id, recipient_id, realm_id, first, ids)
    select new.user_id, new.recipient_id, new.realm_id, first, ids from segments where place > 1)
  update read_segments s set ids = segments.ids from segments
  where segments.place = 1 and s.user_id = new.user_id and s.recipient_id = new.recipient_id and s.first = new.first;
  return null;
end $$;
create trigger split_read_segment after insert or update on read_segments
  for each row when (pg_column_size(new.ids) > 1400) execute function split_read_segment();
