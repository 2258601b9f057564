-- The last start of the server that the realm's clients were told of; null: of none yet.
alter table realms add column server_generation bigint;
