-- Retention by kind finds what is over by an index, however much is kept: the oldest direct messages of an organization,
-- messages by their oldest earlier text, and files by when the last message that named them let go. Files of before, and
-- those that are brought in, count from then.
create index messages_direct on messages (realm_id, id) where channel_id is null;
create index messages_earlier_texts on messages
  (realm_id, (jsonb_path_query_array(edit_history, '$[*] ? (exists(@.prev_content)).timestamp') -> -1), id)
  where jsonb_path_exists(edit_history, '$[*].prev_content');
alter table attachments add column unlinked_at bigint default extract(epoch from now())::bigint;
create index attachments_unused on attachments (realm_id, unlinked_at, id) where message_ids = '{}';
