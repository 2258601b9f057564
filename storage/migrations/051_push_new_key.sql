-- A key that the push notification service may know this server by: it was asked to, and the answer has not been seen.
alter table push_service add column new_key_sealed bytea;
