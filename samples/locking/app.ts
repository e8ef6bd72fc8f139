/** How does a change not overwrite another one that its author has not seen? By a version, which the change must name. */
// #region version
import { httpError, Model } from 'alcove'
import { version, VersionChanged } from 'alcove/conditional'

export class Article extends Model({
  $id: 'Article',
  type: 'object',
  required: ['id', 'text', 'version'],
  properties: { id: { type: 'integer' }, text: { type: 'string' }, version: { type: 'integer' } },
}) {}

/** The field `version` of the replies is their ETag. */
export const ArticleVersion = version('version')

export class NoSuchArticle extends httpError(404, {}, { message: 'There is no such article' }) {}
// #endregion version

// #region store
export class Articles {
  readonly #articles = new Map([[1, new Article({ id: 1, text: 'Hello', version: 1 })]])

  async find(id: number): Promise<Article> {
    const article = this.#articles.get(id)
    if (article === undefined) throw new NoSuchArticle()
    return article
  }

  /** Compares the version and writes in one step: nothing else runs between the two. */
  async change(id: number, text: string, seen: readonly number[]): Promise<Article> {
    const current = this.#articles.get(id)
    if (current === undefined) throw new NoSuchArticle()
    if (!seen.includes(current.version)) throw new VersionChanged()
    const changed = new Article({ id, text, version: current.version + 1 })
    this.#articles.set(id, changed)
    return changed
  }
}
// #endregion store

// #region routes
import { Controller, Get, Injectable, Plugin, Put, ref, type RouteRequest } from 'alcove'

const params = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } as const
const find = { params, response: { 200: ref(Article) } } as const
const change = {
  params,
  body: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  response: { 200: ref(Article) },
} as const

@Injectable()
@Controller('/articles', { throws: [NoSuchArticle] })
export class ArticlesController {
  constructor(private readonly articles: Articles) {}

  @Get('/:id', find)
  @ArticleVersion.tag()
  find({ params }: RouteRequest<typeof find>) {
    return this.articles.find(params.id)
  }

  @Put('/:id', change)
  @ArticleVersion.check()
  change(request: RouteRequest<typeof change>) {
    return this.articles.change(request.params.id, request.body.text, ArticleVersion.seen(request))
  }
}

@Plugin({ schemas: [Article], providers: [Articles], routes: [ArticlesController] })
export class App {}
// #endregion routes
