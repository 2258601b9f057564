-- Whether people chose the address of their account themselves, and nobody who may vouch for it did.
alter table users add column has_unconfirmed_email boolean not null default false;
