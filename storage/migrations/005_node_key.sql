-- What only this installation's nodes know: they sign with it whatever they tell each other through a Redis that others may use.
alter table installation add column node_key bytea not null
  default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));
