-- Rows that are written again and again stay on their page if it has room. Then no index gets an entry for each version.
-- Half of a page is enough when every row of it changes at once. What is there already gets its room as it moves.
alter table presence set (fillfactor = 50);
alter table event_queues set (fillfactor = 50);
-- `seen_at` changes with each save, and nothing is found by it.
drop index event_queues_seen;
