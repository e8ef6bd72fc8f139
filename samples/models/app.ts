/** Models: classes whose fields come from their schemas, and schemas that are composed of them. */
// #region model
import { arrayOf, type Class, Controller, Get, httpError, Model, omit, partial, Patch, Plugin, Post, ref, type RouteRequest } from 'alcove'
// #endregion

// #region model
class Article extends Model({
  $id: 'Article',
  type: 'object',
  required: ['id', 'title', 'text'],
  properties: {
    id: { type: 'integer' },
    title: { type: 'string', minLength: 1 },
    text: { type: 'string' },
    comments: { type: 'array', items: ref((): Class<Comment> => Comment) },
  },
}) {
  get summary() {
    return `${this.title}: ${this.text.slice(0, 40)}` // a string, from the schema
  }
}
// #endregion

// #region later
class Comment extends Model({
  $id: 'Comment',
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string' },
    replies: { type: 'array', items: ref((): Class<Comment> => Comment) },
  },
}) {}
// #endregion

// #region composed
class NewArticle extends Model(omit(Article, 'id', 'comments'), { $id: 'NewArticle', additionalProperties: false }) {}

const id = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } as const
const list = { response: { 200: arrayOf(Article) } }
const find = { params: id, response: { 200: { type: 'object', properties: { summary: { type: 'string' } } } } } as const
const add = { body: ref(NewArticle), response: { 201: ref(Article) } }
const change = { params: id, body: partial(NewArticle), response: { 200: ref(Article) } }
const comment = { params: id, body: ref(Comment), response: { 201: ref(Article) } }
// #endregion

class NoSuchArticle extends httpError(404) {}

class Articles {
  readonly all: Article[] = [new Article({ id: 1, title: 'Models', text: 'are written once' })]

  find(number: number): Article {
    const found = this.all.find((article) => article.id === number)
    if (found === undefined) throw new NoSuchArticle()
    return found
  }
}

@Controller('/articles', { throws: [NoSuchArticle] })
class ArticlesController {
  static readonly inject = [Articles] as const
  constructor(private readonly articles: Articles) {}

  @Get('', list)
  list() {
    return this.articles.all
  }

  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    const { summary } = this.articles.find(params.id)
    return { summary }
  }

  @Post({ status: 201 }, add)
  add({ body }: RouteRequest<typeof add>) {
    const article = new Article({ id: this.articles.all.length + 1, title: body.title, text: body.text })
    this.articles.all.push(article)
    return article
  }

  @Patch('/:id', change)
  change({ params, body }: RouteRequest<typeof change>) {
    return Object.assign(this.articles.find(params.id), body)
  }

  @Post({ path: '/:id/comments', status: 201 }, comment)
  comment({ params, body }: RouteRequest<typeof comment>) {
    const article = this.articles.find(params.id)
    article.comments = [...(article.comments ?? []), body]
    return article
  }
}

// #region plugin
@Plugin({ providers: [Articles], routes: [ArticlesController] })
export class App {}
// #endregion

/** For clients, which are typed by them. */
export type { ArticlesController }
