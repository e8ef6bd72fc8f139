import type { Kysely } from 'kysely'

/**
 * The schema of pg-boss, which makes its tables in it when it starts. Of two replicas that start together on an empty database, both would
 * create the schema, and one of them would fail. Migrations wait for each other.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createSchema('pgboss').ifNotExists().execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropSchema('pgboss').cascade().execute()
}
