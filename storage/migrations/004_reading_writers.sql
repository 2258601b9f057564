-- Whether the newest writer's node answers reads from memory for a moment after it last heard that it is the writer. Its
-- successor, which did not hear that it has stopped to, waits for that moment before it writes.
alter table realms add column writer_serves_reads boolean not null default true;
