-- Further API keys of an account are kept beside log-ins, and end like them with what was opened through them. A log-in of
-- a browser has neither name nor scope. `last_seen` of a key that was never used is 0.
alter table sessions add column name text;
alter table sessions add column scope text;
