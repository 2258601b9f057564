-- A hold on a search asks the index for the same words as a search of people does.
alter table legal_holds add column words tsquery;
update legal_holds set words = websearch_to_tsquery('english', query) where query is not null;
