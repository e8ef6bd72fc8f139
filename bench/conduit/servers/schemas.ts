/** The schemas of the sample's routes, as Fastify has them: shared ones with an `$id`, and references to them. */
import type { Layer } from './layer.js'

const to = (id: string) => ({ $ref: `${id}#` })
const object = (properties: Record<string, object>, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  required,
  properties,
})

export function schemasOf({ keywords: { email, nullableText, page, password, slugParams, text, time, usernameParams } }: Layer) {
  const string = { type: 'string' }
  const preview = {
    slug: string,
    title: string,
    description: string,
    tagList: { type: 'array', items: string },
    createdAt: time,
    updatedAt: time,
    favorited: { type: 'boolean' },
    favoritesCount: { type: 'integer' },
    author: to('Profile'),
  }
  const shared = {
    GenericErrorModel: object({ errors: { type: 'object', additionalProperties: { type: 'array', items: string } } }),
    User: object({ email: string, token: string, username: string, bio: nullableText, image: nullableText }),
    LoginUser: object({ email, password: { ...password, format: 'password' } }),
    Profile: object({ username: string, bio: nullableText, image: nullableText, following: { type: 'boolean' } }),
    ArticlePreview: object(preview),
    Article: object({ ...preview, body: string }),
    Comment: object({ id: { type: 'integer' }, createdAt: time, updatedAt: time, body: string, author: to('Profile') }),
    NewComment: object({ body: text }),
  }
  const refusals = (...statuses: number[]) => Object.fromEntries(statuses.map((status) => [status, to('GenericErrorModel')]))
  const userBody = object({ user: to('User') })
  const articleBody = object({ article: to('Article') })
  const articlesBody = object({ articles: { type: 'array', items: to('ArticlePreview') }, articlesCount: { type: 'integer' } })
  const filter = { tag: string, author: string, favorited: string }

  return {
    shared: Object.entries(shared).map(([$id, schema]) => ({ $id, ...schema })),
    login: { body: object({ user: to('LoginUser') }), response: { 200: userBody, ...refusals(401, 422) } },
    getCurrentUser: { response: { 200: userBody, ...refusals(401, 422) } },
    getTags: { response: { 200: object({ tags: { type: 'array', items: string } }), ...refusals(422) } },
    getArticles: { querystring: object({ ...filter, ...page }, []), response: { 200: articlesBody, ...refusals(401, 422) } },
    getFeed: { querystring: object({ ...page }, []), response: { 200: articlesBody, ...refusals(401, 422) } },
    getArticle: { params: slugParams, response: { 200: articleBody, ...refusals(401, 404, 422) } },
    getComments: {
      params: slugParams,
      response: { 200: object({ comments: { type: 'array', items: to('Comment') } }), ...refusals(401, 404, 422) },
    },
    createComment: {
      params: slugParams,
      body: object({ comment: to('NewComment') }),
      response: { 200: object({ comment: to('Comment') }), ...refusals(401, 404, 422) },
    },
    getProfile: { params: usernameParams, response: { 200: object({ profile: to('Profile') }), ...refusals(401, 404, 422) } },
  }
}
