create table users (
  id integer generated always as identity primary key,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));

create table products (
  id integer generated always as identity primary key,
  seller_id integer not null references users,
  name text not null,
  price integer not null check (price >= 0),
  stock integer not null check (stock >= 0)
);

create table orders (
  id integer generated always as identity primary key,
  buyer_id integer not null references users,
  total bigint not null,
  created_at timestamptz not null default now()
);
create index orders_buyer on orders (buyer_id, id);

create table order_lines (
  order_id integer not null references orders on delete cascade,
  product_id integer not null references products,
  quantity integer not null check (quantity > 0),
  price integer not null,
  primary key (order_id, product_id)
);
