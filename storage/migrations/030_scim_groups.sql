-- How a directory that provisions user groups (SCIM) calls them. A group that it has given no name of its own has no row.
create table scim_groups (
  group_id bigint primary key, realm_id integer not null references realms on delete cascade, external_id text not null
);
create index scim_groups_external on scim_groups (realm_id, external_id);
