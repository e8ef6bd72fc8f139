import { Controller, Delete, Get, Hook, Injectable, Post, Put, ref, type RouteRequest } from 'alcove'
import { CurrentUser } from '../auth/current-user.js'
import { RetryConflicts } from '../database/unit-of-work.js'
import { refusals } from '../error.schema.js'
import { page, slugParams } from '../schemas.js'
import { Article, ArticlePreview, NewArticle, UpdateArticle } from './article.schemas.js'
import { Articles } from './articles.js'

const articleBody = { type: 'object', required: ['article'], properties: { article: ref(Article) } } as const
const articlesBody = {
  type: 'object',
  required: ['articles', 'articlesCount'],
  properties: { articles: { type: 'array', items: ref(ArticlePreview) }, articlesCount: { type: 'integer' } },
} as const
const filter = { tag: { type: 'string' }, author: { type: 'string' }, favorited: { type: 'string' } } as const

const getArticles = {
  summary: 'The newest articles',
  querystring: { type: 'object', properties: { ...filter, ...page } },
  response: { 200: articlesBody, ...refusals(401, 422) },
} as const

const getArticle = {
  summary: 'An article',
  params: slugParams,
  response: { 200: articleBody, ...refusals(401, 404, 422) },
} as const

/** Open to everyone. */
@Injectable()
@Controller('/articles', { docs: { tags: ['Articles'] } })
export class ReadArticlesController {
  constructor(
    private readonly articles: Articles,
    private readonly currentUser: CurrentUser,
  ) {}

  @Get('', getArticles)
  getArticles({ query }: RouteRequest<typeof getArticles>) {
    return this.articles.list(query, query, this.currentUser.id)
  }

  @Get('/:slug', getArticle)
  async getArticle({ params }: RouteRequest<typeof getArticle>) {
    return { article: await this.articles.find(params.slug, this.currentUser.id) }
  }
}

const getArticlesFeed = {
  summary: 'The newest articles of the users whom the current one follows',
  querystring: { type: 'object', properties: page },
  response: { 200: articlesBody, ...refusals(401, 422) },
} as const

const createArticle = {
  summary: 'Publish an article',
  body: { type: 'object', required: ['article'], properties: { article: ref(NewArticle) } },
  response: { 201: articleBody, ...refusals(401, 422) },
} as const

const updateArticle = {
  summary: 'Change an article',
  params: slugParams,
  body: { type: 'object', required: ['article'], properties: { article: ref(UpdateArticle) } },
  response: { 200: articleBody, ...refusals(401, 403, 404, 422) },
} as const

const deleteArticle = {
  summary: 'Delete an article',
  params: slugParams,
  response: { 204: { type: 'null', description: 'It is gone' }, ...refusals(401, 403, 404, 422) },
} as const

/** For logged-in users. */
@Injectable()
@Controller('/articles', { docs: { tags: ['Articles'] } })
export class WriteArticlesController {
  constructor(
    private readonly articles: Articles,
    private readonly currentUser: CurrentUser,
  ) {}

  @Get('/feed', getArticlesFeed)
  getArticlesFeed({ query }: RouteRequest<typeof getArticlesFeed>) {
    return this.articles.feed(query, this.currentUser.account.id)
  }

  @Post({ status: 201 }, createArticle)
  @Hook('around', RetryConflicts)
  async createArticle({ body }: RouteRequest<typeof createArticle>) {
    return { article: await this.articles.create(body.article, this.currentUser.account.id) }
  }

  @Put('/:slug', updateArticle)
  @Hook('around', RetryConflicts)
  async updateArticle({ params, body }: RouteRequest<typeof updateArticle>) {
    return { article: await this.articles.update(params.slug, body.article, this.currentUser.account.id) }
  }

  @Delete({ path: '/:slug', status: 204 }, deleteArticle)
  @Hook('around', RetryConflicts)
  async deleteArticle({ params }: RouteRequest<typeof deleteArticle>) {
    await this.articles.delete(params.slug, this.currentUser.account.id)
  }
}

const favorite = {
  summary: 'Make an article a favorite',
  params: slugParams,
  response: { 200: articleBody, ...refusals(401, 404, 422) },
} as const

/** For logged-in users. */
@Injectable()
@Controller('/articles/:slug/favorite', { docs: { tags: ['Favorites'] } })
export class FavoritesController {
  constructor(
    private readonly articles: Articles,
    private readonly currentUser: CurrentUser,
  ) {}

  @Post('', favorite)
  async createArticleFavorite({ params }: RouteRequest<typeof favorite>) {
    return { article: await this.articles.favorite(params.slug, this.currentUser.account.id) }
  }

  @Delete('', { ...favorite, summary: 'Make it a favorite no more' })
  async deleteArticleFavorite({ params }: RouteRequest<typeof favorite>) {
    return { article: await this.articles.unfavorite(params.slug, this.currentUser.account.id) }
  }
}
