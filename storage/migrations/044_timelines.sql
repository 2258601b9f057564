-- The PostgreSQL under which a realm's newest term began, and under which ids were last looked after. One of a later
-- timeline may lack what was given out last.
alter table realms add column writer_system text, add column writer_timeline bigint;
alter table installation add column ids_system text, add column ids_timeline bigint;
