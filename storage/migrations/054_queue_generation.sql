-- When the server began that a queue's client knows, as it was told with its first state. Whoever comes after it tells of
-- a restart, also where that one was killed before it had told of itself. Of queues of before nothing is known.
alter table event_queues add column generation bigint;
