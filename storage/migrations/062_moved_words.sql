-- A message that only goes to another place keeps its words: to cut them again took half of PostgreSQL's time for it.
create or replace function make_message_findable() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.search = old.search and new.id = old.id and new.topic = old.topic and new.content = old.content then
    -- What is left of the marks below is the same.
    new.search := ts_delete(new.search, array['@' || old.recipient_id::text, '#link', '#image', '#attachment', '#resolved']);
  elsif tg_op = 'UPDATE' or new.search is null then
    -- Whoever stores a message may bring its words along.
    new.search := message_words(new.topic || ' ' || new.content);
  end if;
  new.search := coalesce(new.search, '') || array_to_tsvector(array_remove(array[
    '#' || (new.id >> 12)::text, '##' || (new.id >> 16)::text, '###' || (new.id >> 20)::text, '@' || new.recipient_id::text,
    case when new.has_link then '#link' end, case when new.has_image then '#image' end,
    case when new.has_attachment then '#attachment' end, case when starts_with(new.topic, '✔ ') then '#resolved' end], null));
  return new;
end $$;
