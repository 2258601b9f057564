-- Moves of very many messages, a part a commit. Those that go are the messages of the topic after `after_id`, up to
-- `to_id`, that the person received (`received_by`) and that were sent since then (`sent_since`), where these are set.
-- A row stays until the last part. A build that does not know the table leaves the rest for one that does.
create table unfinished_moves (
  id bigint primary key default nextval('object_ids'),
  realm_id integer not null references realms on delete cascade,
  user_id bigint not null references users on delete cascade,
  message_id bigint not null,                          -- the one that the request named
  channel_id bigint not null, topic text not null,
  new_channel_id bigint, new_topic text not null,      -- null: the channel stays the same
  after_id bigint not null, to_id bigint not null, received_by bigint, sent_since bigint,
  propagate_mode text not null, notify_old_thread boolean not null, notify_new_thread boolean not null,
  is_toggle boolean not null, is_whole_topic boolean not null, target_had_topic boolean not null,
  moved bigint not null default 0, touched_at bigint not null
);
create index unfinished_moves_realm_id on unfinished_moves (realm_id, id);
create index unfinished_moves_user_id on unfinished_moves (user_id);
