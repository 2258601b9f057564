-- The node that writes an organization: whom the others hand changes to while Redis cannot tell.
alter table realms add column writer_node text;
