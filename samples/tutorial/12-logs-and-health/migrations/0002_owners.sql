-- Books from before have no owner.
alter table books add column owner_id integer;
