import { Injectable } from 'alcove'
import { sql } from 'kysely'
import { Database } from '../database/database.js'
import { forbidden, notFound } from '../errors.js'
import { isFollowed } from '../profiles/profiles.js'
import type { Comment, NewComment } from './comment.schemas.js'

@Injectable()
export class Comments {
  constructor(private readonly db: Database) {}

  /**
   * The oldest comments come first.
   * @param viewer the id of the user who asks
   * @throws ApiError 404
   */
  async list(slug: string, viewer: number | undefined): Promise<Comment[]> {
    const article = await this.#findArticle(slug)
    const rows = await this.#comments(viewer).where('comments.article_id', '=', article).orderBy('comments.id').execute()
    return rows.map(present)
  }

  /** @throws ApiError 404 */
  async create(slug: string, { body }: NewComment, author: number): Promise<Comment> {
    const article = await this.#findArticle(slug)
    const { id } = await this.db
      .insertInto('comments')
      .values({ article_id: article, author_id: author, body })
      .returning('id')
      .executeTakeFirstOrThrow()
    return present(await this.#comments(author).where('comments.id', '=', id).executeTakeFirstOrThrow())
  }

  /** @throws ApiError 403, 404 */
  async delete(slug: string, id: number, author: number): Promise<void> {
    const article = await this.#findArticle(slug)
    const found = await this.db
      .selectFrom('comments')
      .select('author_id')
      .where('id', '=', id)
      .where('article_id', '=', article)
      .executeTakeFirst()
    if (found === undefined) throw notFound('comment')
    if (found.author_id !== author) throw forbidden('comment')
    await this.db.deleteFrom('comments').where('id', '=', id).execute()
  }

  async #findArticle(slug: string): Promise<number> {
    const article = await this.db.selectFrom('articles').select('id').where('slug', '=', slug).executeTakeFirst()
    if (article === undefined) throw notFound('article')
    return article.id
  }

  #comments(viewer: number | undefined) {
    return this.db
      .selectFrom('comments')
      .innerJoin('users as author', 'author.id', 'comments.author_id')
      .select(['comments.id', 'comments.created_at', 'comments.updated_at', 'comments.body'])
      .select(['author.username', 'author.bio', 'author.image'])
      .select(isFollowed(sql.ref('author.id'), viewer).as('following'))
  }
}

interface CommentRow {
  id: number
  created_at: Date
  updated_at: Date
  body: string
  username: string
  bio: string | null
  image: string | null
  following: boolean
}

function present({ id, created_at, updated_at, body, ...author }: CommentRow): Comment {
  return { id, createdAt: created_at.toISOString(), updatedAt: updated_at.toISOString(), body, author }
}
