/** How does a change not overwrite another one that its author has not seen? By a version, which the change must name. */
// #region errors
import { httpError, Model } from 'alcove'

export class Article extends Model({
  $id: 'Article',
  type: 'object',
  required: ['id', 'text', 'version'],
  properties: { id: { type: 'integer' }, text: { type: 'string' }, version: { type: 'integer' } },
}) {}

export class NoSuchArticle extends httpError(404, {}, { message: 'There is no such article' }) {}

/** 412 Precondition Failed: the article has another version than the client has seen. */
export class ArticleChanged extends httpError(
  412,
  { type: 'object', required: ['version'], properties: { version: { type: 'integer' } } },
  { message: 'The article was changed by somebody else. Read it again' },
) {}

/** 428 Precondition Required: the client does not say which version it has seen. */
export class VersionMissing extends httpError(428, {}, { message: 'Send the ETag of the article as If-Match' }) {}
// #endregion

// #region store
export class Articles {
  readonly #articles = new Map([[1, new Article({ id: 1, text: 'Hello', version: 1 })]])

  async find(id: number): Promise<Article> {
    const article = this.#articles.get(id)
    if (article === undefined) throw new NoSuchArticle()
    return article
  }

  /** Compares the version and writes in one step: nothing else runs between the two. */
  async change(id: number, text: string, seen: number): Promise<Article> {
    const current = this.#articles.get(id)
    if (current === undefined) throw new NoSuchArticle()
    if (current.version !== seen) throw new ArticleChanged({ version: current.version })
    const changed = new Article({ id, text, version: seen + 1 })
    this.#articles.set(id, changed)
    return changed
  }
}
// #endregion

// #region routes
import { Controller, Get, Injectable, Plugin, Put, ref, type Reply, type RouteRequest } from 'alcove'

const params = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } as const
const article = { headers: { etag: { type: 'string' } }, content: { 'application/json': { schema: ref(Article) } } } as const
const find = { params, response: { 200: article } } as const
const change = {
  params,
  headers: { 'if-match': { type: 'string' } },
  body: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  response: { 200: article },
} as const

@Injectable()
@Controller('/articles', { throws: [NoSuchArticle] })
export class ArticlesController {
  constructor(private readonly articles: Articles) {}

  @Get('/:id', find)
  async find({ params }: RouteRequest<typeof find>, reply: Reply) {
    return tagged(reply, await this.articles.find(params.id))
  }

  @Put({ path: '/:id', throws: [ArticleChanged, VersionMissing] }, change)
  async change({ params, headers, body }: RouteRequest<typeof change>, reply: Reply) {
    const seen = versionIn(headers['if-match'])
    if (seen === undefined) throw new VersionMissing()
    return tagged(reply, await this.articles.change(params.id, body.text, seen))
  }
}

function tagged(reply: Reply, article: Article): Article {
  reply.header('etag', `"${article.version}"`)
  return article
}

/** The version in `"3"`, or in `W/"3"`, which a proxy that compresses makes of it. `undefined` for `*` and for anything else. */
function versionIn(ifMatch: string | undefined): number | undefined {
  const version = /^(?:W\/)?"(\d+)"$/.exec(ifMatch ?? '')?.[1]
  return version === undefined ? undefined : Number(version)
}

@Plugin({ schemas: [Article], providers: [Articles], routes: [ArticlesController] })
export class App {}
// #endregion
