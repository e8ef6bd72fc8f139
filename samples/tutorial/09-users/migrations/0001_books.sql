create table books (
  id integer generated always as identity primary key,
  title text not null,
  author text not null,
  year integer not null
);
create index books_author on books (author);
