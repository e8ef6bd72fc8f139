import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'integer', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('username', 'text', (column) => column.notNull().unique())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('bio', 'text')
    .addColumn('image', 'text')
    .execute()
  // An address belongs to one user, in upper or lower case.
  await db.schema
    .createIndex('users_email_key')
    .unique()
    .on('users')
    .expression(sql`lower(email)`)
    .execute()

  await db.schema
    .createTable('follows')
    .addColumn('follower_id', 'integer', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('followed_id', 'integer', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('follows_pkey', ['follower_id', 'followed_id'])
    .execute()
  await db.schema.createIndex('follows_followed_id_idx').on('follows').column('followed_id').execute()

  await db.schema
    .createTable('articles')
    .addColumn('id', 'integer', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('author_id', 'integer', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('slug', 'text', (column) => column.notNull().unique())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute()
  await db.schema.createIndex('articles_newest_idx').on('articles').columns(['created_at desc', 'id desc']).execute()
  await db.schema.createIndex('articles_author_idx').on('articles').columns(['author_id', 'created_at desc']).execute()

  await db.schema
    .createTable('article_tags')
    .addColumn('article_id', 'integer', (column) => column.notNull().references('articles.id').onDelete('cascade'))
    .addColumn('tag', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('article_tags_pkey', ['article_id', 'tag'])
    .execute()
  await db.schema.createIndex('article_tags_tag_idx').on('article_tags').column('tag').execute()

  await db.schema
    .createTable('favorites')
    .addColumn('article_id', 'integer', (column) => column.notNull().references('articles.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('favorites_pkey', ['article_id', 'user_id'])
    .execute()
  await db.schema.createIndex('favorites_user_id_idx').on('favorites').column('user_id').execute()

  await db.schema
    .createTable('comments')
    .addColumn('id', 'integer', (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('article_id', 'integer', (column) => column.notNull().references('articles.id').onDelete('cascade'))
    .addColumn('author_id', 'integer', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute()
  await db.schema.createIndex('comments_article_id_idx').on('comments').column('article_id').execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ['comments', 'favorites', 'article_tags', 'articles', 'follows', 'users']) await db.schema.dropTable(table).execute()
}
