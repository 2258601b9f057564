-- A link for somebody who has no account yet: by it they confirm the address with which they join by an invitation.
alter table one_time_links add column invitation_id bigint;
alter table one_time_links alter column user_id drop not null;
