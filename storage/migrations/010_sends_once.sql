-- Of a send that carried its queue and an id of its client's own: whose, and from which queue. A repeat is found by it.
alter table realm_log add column sent_from text;
create index realm_log_sent_from on realm_log (realm_id, sent_from, position) where sent_from is not null;
