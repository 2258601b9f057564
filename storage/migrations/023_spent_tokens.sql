-- JSON Web Tokens that say they are good once, and were used: by a hash of their name, until they are over.
create table spent_tokens (
  realm_id integer not null references realms on delete cascade, token_hash bytea not null, expires_at bigint not null,
  primary key (realm_id, token_hash)
);
create index spent_tokens_expiry on spent_tokens (expires_at);
