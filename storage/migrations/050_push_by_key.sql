-- Programs are told too (UnifiedPush), by a further key, which is a session, or by the own key of an account, by its hash.
alter table push_browsers alter column session_hash drop not null;
alter table push_browsers add column key_hash bytea;
