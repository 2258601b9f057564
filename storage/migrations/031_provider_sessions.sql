-- By which identity somebody logged in, and the provider's name for their log-in there: it says when that has ended.
alter table sessions add column identity_id bigint;
alter table sessions add column provider_session text;
create index sessions_identity on sessions (identity_id) where identity_id is not null;
