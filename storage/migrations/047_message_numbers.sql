-- PostgreSQL makes the sequence of an unlogged table unlogged as well. A standby that was promoted cannot read it ("bad
-- magic number in sequence"), and no node could post a message to another. These numbers are in the log. They begin
-- above those that nodes of the version before give.
create sequence letter_numbers start 1000000000000;
