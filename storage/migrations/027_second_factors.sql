-- Second factors of people: a secret for codes by time (TOTP), sealed by the installation's secret key. It is null
-- where that key was lost. `last_step` is the last step of time whose code was taken: each code is good once.
create table totp_factors (
  user_id bigint primary key references users on delete cascade,
  realm_id integer not null references realms on delete cascade,
  secret_sealed bytea, is_on boolean not null default false, last_step bigint not null default 0,
  date_created bigint not null
);
-- Codes that are good once, by their hashes: for people who lost what shows them the others.
create table recovery_codes (
  user_id bigint not null references users on delete cascade, code_hash bytea not null,
  realm_id integer not null references realms on delete cascade,
  primary key (user_id, code_hash)
);
-- When the person of a log-in last showed a password or a code in it.
alter table sessions add column confirmed_at bigint not null default 0;
