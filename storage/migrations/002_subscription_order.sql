-- A realm comes into memory a person at a time: from this index alone, in its order, without a look at the table. The
-- index before was read by nothing else.
create index subscriptions_load on subscriptions (realm_id, user_id, channel_id)
  include (color, is_muted, pin_to_top, is_active);
drop index subscriptions_realm;
create index subscriptions_overrides on subscriptions (realm_id)
  where desktop_notifications is not null or audible_notifications is not null or push_notifications is not null
    or email_notifications is not null or wildcard_mentions_notify is not null;
