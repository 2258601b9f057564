-- Calls of outgoing webhooks that wait or are under way: which bot is to be told of which message.
create sequence webhook_call_ids;
create table webhook_calls (
  id bigint primary key default nextval('webhook_call_ids'),
  realm_id integer not null references realms on delete cascade,
  bot_id bigint not null, message_id bigint not null,
  attempts integer not null default 0,
  is_under_way boolean not null default false,
  due_at bigint not null                               -- UNIX seconds; of one under way: when it is taken for lost
);
create index webhook_calls_due on webhook_calls (due_at);
create index webhook_calls_bot on webhook_calls (bot_id);
-- When the owner of a bot was told last that it could not be called.
create table webhook_failures (
  bot_id bigint primary key, realm_id integer not null references realms on delete cascade, told_at bigint not null
);
