-- When a directory was first seen without somebody whom it had named: UNIX seconds. null: it has them.
alter table identities add column missing_since bigint;
