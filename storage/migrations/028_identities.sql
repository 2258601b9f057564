-- Who somebody is at a provider of identities, and whose account that is. `email` is as the provider told it last, and
-- decides nothing.
create table identities (
  id bigint primary key, realm_id integer not null references realms on delete cascade, issuer text not null,
  subject text not null, provider text not null, user_id bigint not null references users on delete cascade,
  state text not null, email text, date_created bigint not null, last_used bigint,
  unique (realm_id, issuer, subject)
);
create index identities_user on identities (user_id);
-- A link by which somebody shows that an account is theirs, and has an identity linked with it.
alter table one_time_links add column identity_id bigint;
