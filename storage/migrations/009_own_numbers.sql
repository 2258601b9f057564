-- Linkifiers, playgrounds and profile fields count each for themselves, as clients of other servers find them.
create sequence linkifier_ids;
create sequence playground_ids;
create sequence profile_field_ids;
select setval('linkifier_ids', (select coalesce(max(id), 0) + 1 from linkifiers), false),
       setval('playground_ids', (select coalesce(max(id), 0) + 1 from playgrounds), false),
       setval('profile_field_ids', (select coalesce(max(id), 0) + 1 from custom_profile_fields), false);
