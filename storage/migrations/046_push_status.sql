-- When the push notification service is told of the organizations next, and when it last took a notification.
alter table push_service add column next_report_at bigint not null default 0;
alter table push_service add column working_at bigint not null default 0;
-- What it said of each, and the counts of accounts that it was told.
create table push_service_realms (
  realm_id integer primary key references realms on delete cascade,
  can_push boolean not null, end_timestamp bigint, role_counts text
);
