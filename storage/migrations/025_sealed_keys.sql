-- API keys are known by their hash, and stored sealed by a key that is not in the database. Nodes of the version before
-- read `api_key` until all of them are replaced, for which they have until `plain_keys_until` (UNIX seconds); then it is
-- emptied. `secret_key_check` tells whether a secret key is the one by which keys are sealed here.
alter table credentials add column api_key_hash bytea;
alter table credentials add column api_key_sealed bytea;
alter table credentials alter column api_key drop not null;
update credentials set api_key_hash = sha256(convert_to(api_key, 'UTF8'));
create index credentials_api_key_hash on credentials (api_key_hash);

alter table installation add column secret_key_check bytea;
alter table installation add column plain_keys_until bigint not null default 0;
update installation set plain_keys_until = extract(epoch from now())::bigint + 3600 where exists (select from credentials);

-- Nodes of the version before write `api_key` alone.
create or replace function hash_plain_api_key() returns trigger language plpgsql as $$
begin
  if new.api_key is not null and (tg_op = 'INSERT' and new.api_key_hash is null or tg_op = 'UPDATE'
      and new.api_key is distinct from old.api_key and new.api_key_hash is not distinct from old.api_key_hash) then
    new.api_key_hash := sha256(convert_to(new.api_key, 'UTF8'));
    new.api_key_sealed := null;
  end if;
  return new;
end $$;
create trigger hash_plain_api_key before insert or update on credentials
  for each row execute function hash_plain_api_key();
