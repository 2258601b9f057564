-- Rows of an audit log may go that a later row of the same log names as shortened: `after` has the last of them, with its
-- hash, so that the rows behind it are still a chain. All others stay, but at the end of their organization.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if not exists (select from realms where id = old.realm_id) then return old; end if;
    if exists (
      select from audit_log later
      where later.realm_id = old.realm_id and later.event_type = 'realm_audit_log_shortened' and later.num > old.num
        and (later.entry->'after'->>'num')::bigint >= old.num
    ) then return old; end if;
  end if;
  raise exception 'the audit log is only added to';
end $$;
