import { type Ambient, ambient, Injectable, type Queue } from 'alcove'
import { type Kysely, sql } from 'kysely'
import { Database } from '../database/database.js'
import type { Tables } from '../database/tables.js'
import { UnitOfWork } from '../database/unit-of-work.js'
import { forbidden, notFound } from '../errors.js'
import { isFollowed } from '../profiles/profiles.js'
import { COMMENT_MAILS } from './comment-mails.js'
import type { Comment, NewComment } from './comment.schemas.js'

@Injectable()
export class Comments {
  static readonly inject = [Database, ambient(UnitOfWork), COMMENT_MAILS] as const
  constructor(
    private readonly db: Database,
    private readonly work: Ambient<UnitOfWork>,
    private readonly mails: Queue<{ commentId: number }>,
  ) {}

  /**
   * The oldest comments come first.
   * @param viewer the id of the user who asks
   * @throws ApiError 404
   */
  async list(slug: string, viewer: number | undefined): Promise<Comment[]> {
    const { id } = await findArticle(slug, this.db)
    const rows = await selectComments(viewer, this.db).where('comments.article_id', '=', id).orderBy('comments.id').execute()
    return rows.map(present)
  }

  /** The author of the article gets a mail if the transaction commits. @throws ApiError 404 */
  async create(slug: string, { body }: NewComment, author: number): Promise<Comment> {
    const trx = await this.work.current.begin()
    const article = await findArticle(slug, trx)
    const { id } = await trx
      .insertInto('comments')
      .values({ article_id: article.id, author_id: author, body })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (article.author_id !== author) await this.mails.add({ commentId: id }, { within: this.work.current })
    return present(await selectComments(author, trx).where('comments.id', '=', id).executeTakeFirstOrThrow())
  }

  /** @throws ApiError 403, 404 */
  async delete(slug: string, id: number, author: number): Promise<void> {
    const trx = await this.work.current.begin()
    const article = await findArticle(slug, trx)
    const found = await trx
      .selectFrom('comments')
      .select('author_id')
      .where('id', '=', id)
      .where('article_id', '=', article.id)
      .executeTakeFirst()
    if (found === undefined) throw notFound('comment')
    if (found.author_id !== author) throw forbidden('comment')
    await trx.deleteFrom('comments').where('id', '=', id).execute()
  }
}

async function findArticle(slug: string, db: Kysely<Tables>): Promise<{ id: number; author_id: number }> {
  const article = await db.selectFrom('articles').select(['id', 'author_id']).where('slug', '=', slug).executeTakeFirst()
  if (article === undefined) throw notFound('article')
  return article
}

function selectComments(viewer: number | undefined, db: Kysely<Tables>) {
  return db
    .selectFrom('comments')
    .innerJoin('users as author', 'author.id', 'comments.author_id')
    .select(['comments.id', 'comments.created_at', 'comments.updated_at', 'comments.body'])
    .select(['author.username', 'author.bio', 'author.image'])
    .select(isFollowed(sql.ref('author.id'), viewer).as('following'))
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
