-- pg-boss makes its tables in this schema when it starts. Of two replicas that start together on an empty database, both would create the
-- schema, and one of them would fail.
create schema if not exists pgboss;
