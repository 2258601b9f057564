-- Up to which message of an organization it was decided who is to be told; none: of those sent lately.
create table notification_cursors (
  realm_id integer primary key references realms on delete cascade, message_id bigint not null
);
-- Messages that people missed and are to be told of by email, when the time that they set has passed.
create table missed_messages (
  user_id bigint not null, message_id bigint not null, realm_id integer not null references realms on delete cascade,
  due_at bigint not null, primary key (user_id, message_id)
);
create index missed_messages_due on missed_messages (due_at);
