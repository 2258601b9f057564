-- Uploads that a virus scanner looks at (clamd). All of it is null of what nobody has to look at. UNIX seconds:
-- `quarantined_at`: since when the bytes are answered to nobody; null: they are. `scan_at`: when the file is looked at, or
-- the messages that link to it are shown anew. `scan_attempts`: how often it was looked at in vain.
alter table attachments add column quarantined_at bigint;
alter table attachments add column scan_at bigint;
alter table attachments add column scan_attempts integer not null default 0;
create index attachments_scan_at on attachments (scan_at, realm_id) where scan_at is not null;
