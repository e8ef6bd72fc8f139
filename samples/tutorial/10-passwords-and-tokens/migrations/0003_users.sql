create table users (
  id integer generated always as identity primary key,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));

-- The users of before had keys, and are gone.
update books set owner_id = null;
alter table books add foreign key (owner_id) references users;
