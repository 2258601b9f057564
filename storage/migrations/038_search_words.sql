-- What messages are found by. `message_words` makes lexemes of a text, and `actors/text/words.ts` cuts texts alike:
-- words without accents, in small letters, of letters and digits alone ('opts':2A); their English stems ('opt':2), where they
-- differ; for prefixes, the first four letters of longer words ('^auth'); pairs of Chinese, Japanese and Korean characters.
-- A word with capitals inside is found by its parts as well. Weight A is what was written, for exact phrases.
create or replace function lexemes_of_word(form text, place bigint) returns text language plpgsql immutable parallel safe as $$
declare
  lexemes text := '''' || form || ''':' || place || 'A';
  stem text;
begin
  if form !~ '[^a-z]' and length(form) <= 60 then
    stem := (ts_lexize('pg_catalog.english_stem', form))[1];
    if stem <> form then lexemes := lexemes || ' ''' || stem || ''':' || place; end if;
  end if;
  if length(form) > 4 then lexemes := lexemes || ' ''^' || left(form, 4) || ''''; end if;
  return lexemes;
end $$;

-- getUserName: get, user, name, username. More than eight parts are a key or a picture, and not a name.
create or replace function parts_of_word(word text) returns setof text language sql immutable parallel safe as $$
  select lower(form)
  from string_to_array(regexp_replace(regexp_replace(word, '([a-z0-9])([A-Z])', '\1 \2', 'g'), '([A-Z])([A-Z][a-z])', '\1 \2', 'g'), ' ') as parts
    cross join generate_series(1, cardinality(parts)) as k cross join unnest(array[parts[k], array_to_string(parts[k:], '')]) as form
  where cardinality(parts) between 2 and 8
$$;

create or replace function message_words(text) returns tsvector language plpgsql immutable strict parallel safe as $$
declare
  plain text := $1;
  lexemes text;
begin
  if octet_length(plain) = char_length(plain) then
    plain := regexp_replace(plain, '[^a-zA-Z0-9 ]', ' ', 'g');
  else
    plain := normalize(regexp_replace(normalize(plain, NFKD), '[\u00ad\u0300-\u036f\u200c\u200d\u2060\ufeff]', '', 'g'), NFKC);
    plain := replace(replace(replace(replace(replace(replace(replace(replace(translate(plain, 'øØłŁđĐðÐı', 'oOlLdDdDi'),
      'ß', 'ss'), 'ẞ', 'SS'), 'æ', 'ae'), 'Æ', 'AE'), 'œ', 'oe'), 'Œ', 'OE'), 'þ', 'th'), 'Þ', 'TH');
    -- Chinese, Japanese and Korean
    plain := regexp_replace(plain, '([\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+)', ' \1 ', 'g');
    -- what is between words
    plain := regexp_replace(plain, '[\u0001-\u001f\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02df\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u2000-\u2bff\u2e00-\u2e7f\u2ff0-\u3004\u3008-\u3020\u3030\u303d-\u3040\u30a0\u30fb\ue000-\uf8ff\ufe00-\ufe6f\ufff0-\uffff\U0001f000-\U0001faff\U000e0000-\U000e0fff]', ' ', 'g');
  end if;
  -- PostgreSQL's own parser is several times faster. It would cut 5e71a2f in two.
  if octet_length(plain) = char_length(plain) and plain !~ '[0-9][eE][0-9]' then
    lexemes := setweight(to_tsvector('pg_catalog.simple', plain), 'A')::text || ' ' || to_tsvector('pg_catalog.english', plain)::text
      || coalesce(' ^' || (select string_agg(left(word, 4), ' ^') from string_to_table(lower(plain), ' ') as word where length(word) > 4), '');
    if plain ~ '[a-z0-9][A-Z]|[A-Z][A-Z][a-z]' then
      lexemes := concat_ws(' ', lexemes, (
        select string_agg(lexemes_of_word(part, place), ' ')
        from unnest(array_remove(string_to_array(plain, ' '), '')) with ordinality as t(word, place) cross join parts_of_word(word) as part
        where word ~ '[a-z0-9][A-Z]|[A-Z][A-Z][a-z]'));
    end if;
    return lexemes::tsvector;
  end if;
  return (
    with runs as (
      select word, n, word ~ '^[\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]' as is_run
      from unnest(array_remove(string_to_array(plain, ' '), '')) with ordinality as t(word, n)),
    words as materialized (
      select case when is_run then substr(word, k, 2) else left(word, 500) end as word, row_number() over (order by n, k) as place
      from runs cross join generate_series(1, case when is_run then length(word) else 1 end) as k)
    select string_agg(lexemes_of_word(form, place), ' ') from (
      select translate(lower(word), 'ς', 'σ') as form, place from words
      union all
      select translate(part, 'ς', 'σ'), place from words cross join parts_of_word(word) as part where word ~ '[a-z0-9][A-Z]|[A-Z][A-Z][a-z]') t)::tsvector;
end $$;

-- Words; the parts of the history that the message is in, of 2^12, 2^16 and 2^20 ids (#n, ##n, ###n); its conversation (@n);
-- and what it has or is. So a search can ask the index for the words of one part or conversation.
create or replace function make_message_findable() returns trigger language plpgsql as $$
begin
  -- Whoever stores a message may bring its words along.
  if tg_op = 'UPDATE' or new.search is null then new.search := message_words(new.topic || ' ' || new.content); end if;
  new.search := coalesce(new.search, '') || array_to_tsvector(array_remove(array[
    '#' || (new.id >> 12)::text, '##' || (new.id >> 16)::text, '###' || (new.id >> 20)::text, '@' || new.recipient_id::text,
    case when new.has_link then '#link' end, case when new.has_image then '#image' end,
    case when new.has_attachment then '#attachment' end, case when starts_with(new.topic, '✔ ') then '#resolved' end], null));
  return new;
end $$;

-- The column keeps what the version before wrote into it, and that version finds what is written from now on by its words.
alter table messages alter column search drop expression;
create trigger make_message_findable before insert or update of search, id, recipient_id, topic, content, has_link, has_image, has_attachment
  on messages for each row execute function make_message_findable();

-- Organizations with messages (ids up to `up_to`) that have only the words of the version before. A job gives them theirs.
create table search_rebuilds (
  realm_id integer primary key references realms on delete cascade,
  up_to bigint not null
);
-- By the key: the table is locked meanwhile.
insert into search_rebuilds (realm_id, up_to) select id, newest from (
  select id, (select max(m.id) from messages m where m.realm_id = r.id) as newest from realms r) r where newest is not null;
