-- Organizations on several databases. All but the second statement's columns are used in the first database alone.

-- The databases beside the first: each has ids of a class of its own, so none is given out twice.
create table directory_databases (
  name text primary key,
  id_class smallint not null unique
);
-- Tells the directories of two servers from each other.
create table directory_identity (id uuid not null default gen_random_uuid());
-- Organizations that are not in the first database. Null: being made.
create table directory (
  host text primary key,
  database text not null references directory_databases,
  realm_id integer unique
);
-- Moves between databases that are not over.
create table realm_moves (
  realm_id integer primary key,
  host text not null,
  source text not null,
  target text not null
);

-- Which directory another database belongs to, and by what name.
create table directory_membership (directory_id uuid not null, name text not null);

-- A copy that a move makes, which nobody serves yet.
alter table realms add column is_arriving boolean not null default false;
