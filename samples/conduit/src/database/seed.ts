/** A few users and articles for a first look. */
import { hash } from '@node-rs/argon2'
import type { Kysely } from 'kysely'
import type { Tables } from './tables.js'

export const SEED_PASSWORD = 'conduit-demo'

const users = [
  { username: 'ada', email: 'ada@example.com', bio: 'Wrote the first program.' },
  { username: 'grace', email: 'grace@example.com', bio: 'Found the first bug.' },
]

const articles = [
  {
    author: 'ada',
    slug: 'what-an-alcove-sees',
    title: 'What an alcove sees',
    description: 'One rule of visibility',
    body: 'An alcove sees the room it opens onto; the room does not see into the alcove.',
    tags: ['design', 'contexts'],
  },
  {
    author: 'grace',
    slug: 'schemas-first',
    title: 'Schemas first',
    description: 'Types, validation and documentation of one declaration',
    body: 'Write it once. The compiler, the validator and the documentation read the same lines.',
    tags: ['design', 'schemas'],
  },
]

/** @returns the added data; `undefined` if there are users already */
export async function seed(db: Kysely<Tables>): Promise<{ users: string[]; articles: number } | undefined> {
  if ((await db.selectFrom('users').select('id').limit(1).execute()).length > 0) return undefined
  const password_hash = await hash(SEED_PASSWORD)
  return db.transaction().execute(async (trx) => {
    const rows = await trx
      .insertInto('users')
      .values(users.map((user) => ({ ...user, password_hash })))
      // Another replica may be adding the same data.
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'username'])
      .execute()
    if (rows.length < users.length) return undefined
    const idOf = (username: string): number => rows.find((row) => row.username === username)!.id
    for (const { author, tags, ...article } of articles) {
      const { id } = await trx
        .insertInto('articles')
        .values({ ...article, author_id: idOf(author) })
        .returning('id')
        .executeTakeFirstOrThrow()
      await trx
        .insertInto('article_tags')
        .values(tags.toSorted().map((tag, position) => ({ article_id: id, tag, position })))
        .execute()
    }
    return { users: users.map(({ username }) => username), articles: articles.length }
  })
}
