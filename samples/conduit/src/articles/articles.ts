import { type Ambient, ambient, Injectable } from 'alcove'
import { type Expression, type Kysely, type SelectQueryBuilder, sql, type SqlBool, type Transaction } from 'kysely'
import { Database } from '../database/database.js'
import type { Tables } from '../database/tables.js'
import { UnitOfWork } from '../database/unit-of-work.js'
import { forbidden, notFound } from '../errors.js'
import { isFollowed } from '../profiles/profiles.js'
import type { Article, ArticlePreview, NewArticle, UpdateArticle } from './article.schemas.js'
import { slugOf } from './slugs.js'

export interface ArticleFilter {
  readonly tag?: string | undefined
  readonly author?: string | undefined
  readonly favorited?: string | undefined
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** The maximum number of articles in a reply, even if a client asks for more. */
const MAX_PAGE = 100

type ArticleQuery = SelectQueryBuilder<Tables & { author: Tables['users'] }, 'articles' | 'author', object>

@Injectable()
export class Articles {
  static readonly inject = [Database, ambient(UnitOfWork)] as const
  constructor(
    private readonly db: Database,
    private readonly work: Ambient<UnitOfWork>,
  ) {}

  /**
   * The newest articles come first.
   * @param viewer the id of the user who asks
   */
  list({ tag, author, favorited }: ArticleFilter, page: Page, viewer: number | undefined) {
    let query = this.#articles()
    if (tag) query = query.where(hasTag(tag))
    if (author) query = query.where('author.username', '=', author)
    if (favorited) query = query.where(isFavoriteOf(favorited))
    return this.#page(query, page, viewer)
  }

  /** The articles of the authors whom the viewer follows. */
  feed(page: Page, viewer: number) {
    return this.#page(this.#articles().where(isFollowed(sql.ref<number>('articles.author_id'), viewer)), page, viewer)
  }

  /** @throws ApiError 404 */
  async find(slug: string, viewer: number | undefined, db: Kysely<Tables> = this.db): Promise<Article> {
    const row = await this.#articles(db)
      .where('articles.slug', '=', slug)
      .select(selectPreview(viewer))
      .select('articles.body')
      .executeTakeFirst()
    if (row === undefined) throw notFound('article')
    return Object.assign(presentPreview(row), { body: row.body })
  }

  async create({ title, description, body, tagList = [] }: NewArticle, author: number): Promise<Article> {
    const trx = await this.work.current.begin()
    const slug = await chooseSlug(title, trx)
    const { id } = await trx
      .insertInto('articles')
      .values({ author_id: author, slug, title, description, body })
      .returning('id')
      .executeTakeFirstOrThrow()
    await insertTags(trx, id, tagList)
    return this.find(slug, author, trx)
  }

  /** Changes the fields that are present; a new title creates a new slug. @throws ApiError 403, 404 */
  async update(slug: string, { title, description, body, tagList }: UpdateArticle, author: number): Promise<Article> {
    const trx = await this.work.current.begin()
    const current = await findOwn(slug, author, trx)
    const next = title === undefined || title === current.title ? slug : await chooseSlug(title, trx)
    // The time must change even if the article was written in the same millisecond.
    const updated_at = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`
    await trx.updateTable('articles').set({ title, description, body, slug: next, updated_at }).where('id', '=', current.id).execute()
    if (tagList !== undefined) {
      await trx.deleteFrom('article_tags').where('article_id', '=', current.id).execute()
      await insertTags(trx, current.id, tagList)
    }
    return this.find(next, author, trx)
  }

  /** @throws ApiError 403, 404 */
  async delete(slug: string, author: number): Promise<void> {
    const trx = await this.work.current.begin()
    const { id } = await findOwn(slug, author, trx)
    await trx.deleteFrom('articles').where('id', '=', id).execute()
  }

  /** A second call has no effect. @throws ApiError 404 */
  async favorite(slug: string, user: number): Promise<Article> {
    await this.db
      .insertInto('favorites')
      .columns(['article_id', 'user_id'])
      .expression((query) =>
        query
          .selectFrom('articles')
          .select((articles) => ['id as article_id', articles.val(user).$castTo<number>().as('user_id')])
          .where('slug', '=', slug),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return this.find(slug, user)
  }

  /** @throws ApiError 404 */
  async unfavorite(slug: string, user: number): Promise<Article> {
    await this.db
      .deleteFrom('favorites')
      .where('user_id', '=', user)
      .where('article_id', 'in', (query) => query.selectFrom('articles').select('id').where('slug', '=', slug))
      .execute()
    return this.find(slug, user)
  }

  #articles(db: Kysely<Tables> = this.db): ArticleQuery {
    return db.selectFrom('articles').innerJoin('users as author', 'author.id', 'articles.author_id')
  }

  /** Needs one query for the page and one for the count, regardless of the number of articles. */
  async #page(query: ArticleQuery, { limit, offset }: Page, viewer: number | undefined) {
    const [rows, { count }] = await Promise.all([
      query
        .select(selectPreview(viewer))
        .orderBy('articles.created_at', 'desc')
        .orderBy('articles.id', 'desc')
        .limit(Math.min(limit, MAX_PAGE))
        .offset(offset)
        .execute(),
      query.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
    ])
    return { articles: rows.map(presentPreview), articlesCount: count }
  }
}

async function findOwn(slug: string, author: number, trx: Transaction<Tables>): Promise<{ id: number; title: string }> {
  const found = await trx.selectFrom('articles').select(['id', 'title', 'author_id']).where('slug', '=', slug).executeTakeFirst()
  if (found === undefined) throw notFound('article')
  if (found.author_id !== author) throw forbidden('article')
  return found
}

function selectPreview(viewer: number | undefined) {
  return [
    'articles.slug',
    'articles.title',
    'articles.description',
    'articles.created_at',
    'articles.updated_at',
    'author.username',
    'author.bio',
    'author.image',
    sql<string[]>`array(select tag from article_tags where article_id = articles.id order by position)`.as('tags'),
    sql<number>`(select count(*)::int from favorites where article_id = articles.id)`.as('favorites_count'),
    sql<boolean>`exists (select from favorites where article_id = articles.id and user_id = ${viewer ?? null}::int)`.as('favorited'),
    isFollowed(sql.ref<number>('author.id'), viewer).as('following'),
  ] as const
}

interface PreviewRow {
  slug: string
  title: string
  description: string
  created_at: Date
  updated_at: Date
  username: string
  bio: string | null
  image: string | null
  tags: string[]
  favorites_count: number
  favorited: boolean
  following: boolean
}

function presentPreview(row: PreviewRow): ArticlePreview {
  return {
    slug: row.slug,
    title: row.title,
    description: row.description,
    tagList: row.tags,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    favorited: row.favorited,
    favoritesCount: row.favorites_count,
    author: { username: row.username, bio: row.bio, image: row.image, following: row.following },
  }
}

function hasTag(tag: string): Expression<SqlBool> {
  return sql<SqlBool>`exists (select from article_tags where article_id = articles.id and tag = ${tag})`
}

function isFavoriteOf(username: string): Expression<SqlBool> {
  return sql<SqlBool>`exists (
    select from favorites join users on users.id = favorites.user_id
    where favorites.article_id = articles.id and users.username = ${username})`
}

/**
 * The slug of a title, or another one if that is taken. It is enough to ask before the write, because the transactions are serializable:
 * if two want the same slug at once, one of them fails.
 */
async function chooseSlug(title: string, trx: Transaction<Tables>): Promise<string> {
  const slug = slugOf(title, false)
  const found = await trx.selectFrom('articles').select('id').where('slug', '=', slug).executeTakeFirst()
  return found === undefined ? slug : slugOf(title, true)
}

/** Sorts the tags, as the public tests of the API expect them, and drops duplicates. */
async function insertTags(trx: Transaction<Tables>, article: number, tags: readonly string[]): Promise<void> {
  const rows = [...new Set(tags)].toSorted().map((tag, position) => ({ article_id: article, tag, position }))
  if (rows.length > 0) await trx.insertInto('article_tags').values(rows).execute()
}
