-- Whether clients also find people by what they put into a field of their profile.
alter table custom_profile_fields add column use_for_user_matching boolean not null default false;
