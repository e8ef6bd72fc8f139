create table users (
  id integer generated always as identity primary key,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));

-- Books from before have no owner.
alter table books add column owner_id integer references users;
