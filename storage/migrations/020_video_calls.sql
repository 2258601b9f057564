-- Access that people gave the server to their accounts at services for video calls.
create table video_call_tokens (
  user_id bigint not null, service text not null, realm_id integer not null references realms on delete cascade,
  access_token text not null, refresh_token text, expires_at bigint not null,
  primary key (user_id, service)
);
