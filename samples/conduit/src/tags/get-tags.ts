import { Injectable, Route } from 'alcove'
import { sql } from 'kysely'
import { Database } from '../database/database.js'
import { refusals } from '../error.schema.js'

const getTags = {
  summary: 'The tags of all articles',
  response: {
    200: { type: 'object', required: ['tags'], properties: { tags: { type: 'array', items: { type: 'string' } } } },
    ...refusals(422),
  },
} as const

@Injectable()
@Route({ method: 'GET', path: '/tags', docs: { tags: ['Tags'] } }, getTags)
export class GetTags {
  constructor(private readonly db: Database) {}

  /** The most used tags come first. */
  async handle() {
    const rows = await this.db
      .selectFrom('article_tags')
      .select('tag')
      .groupBy('tag')
      .orderBy(sql`count(*)`, 'desc')
      .orderBy('tag')
      .execute()
    return { tags: rows.map(({ tag }) => tag) }
  }
}
