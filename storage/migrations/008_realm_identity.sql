-- A name for the organization that is the same everywhere and for ever: clients draw pictures from it.
alter table realms add column uuid uuid not null default gen_random_uuid();
-- One rating for every provider of GIFs. The youngest one is gone, so the others count from one less.
update realms set settings = (settings - 'giphy_rating') || jsonb_build_object('gif_rating_policy',
  case when (settings->>'giphy_rating')::integer >= 2 then (settings->>'giphy_rating')::integer - 1
       else (settings->>'giphy_rating')::integer end)
where settings ? 'giphy_rating';
