-- The end of an organization's log that its database lost, as a standby that was behind and was promoted. Clients that
-- were told of something at a position above `log_kept_until`, up to `log_lost_until`, have what is not there any more.
alter table realms add column log_kept_until bigint;
alter table realms add column log_lost_until bigint;
