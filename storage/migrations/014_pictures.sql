-- What an upload shows: {width, height, type, frames, transcoded}; false: no picture; null: nobody has looked.
alter table attachments add column image jsonb;
