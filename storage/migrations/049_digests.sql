-- Digests of the week by email: on which day an organization's were made last, and who got one when.
create table digest_days (
  realm_id integer primary key references realms on delete cascade, made_at bigint not null
);
create table digests (
  user_id bigint primary key, realm_id integer not null references realms on delete cascade, sent_at bigint not null
);
create index digests_realm on digests (realm_id);
