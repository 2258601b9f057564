-- Addresses by which mail becomes messages. A channel has one for each person and sender that it was asked for.
create table channel_mail_addresses (
  token text primary key, realm_id integer not null references realms on delete cascade,
  channel_id bigint not null, creator_id bigint not null, created_at bigint not null,
  sender_id bigint,                                    -- null: the organization's own bot
  unique nulls not distinct (channel_id, creator_id, sender_id)
);
create index channel_mail_addresses_realm on channel_mail_addresses (realm_id);
-- Where answers to emails about missed messages go. Only a hash of the secret in each is stored.
create table reply_addresses (
  token_hash bytea primary key, realm_id integer not null references realms on delete cascade,
  user_id bigint not null, message_id bigint not null, expires_at bigint not null
);
create index reply_addresses_expiry on reply_addresses (expires_at);
