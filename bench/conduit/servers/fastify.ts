/** Conduit, written by hand on Fastify: contexts for the areas, hooks as guards, schemas for requests and replies. */
import type { Server } from 'node:http'
import buildAjvCompiler from '@fastify/ajv-compiler'
import jwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Account, type ArticleFilter, EXPIRES_IN, type Layer, type Page, protection, serverOptions, tokenIn } from './layer.js'
import { schemasOf } from './schemas.js'

declare module 'fastify' {
  interface FastifyRequest {
    account: Account | null
  }
}
declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: { sub: string }
    user: { sub: string }
  }
}

type BuildValidator = (schemas: unknown, options: { customOptions: object }) => (route: { httpPart?: string }) => unknown

/** Bodies are not coerced; all faults of a request are reported together. */
function buildValidator(schemas: unknown, options: { customOptions: object }) {
  const build = buildAjvCompiler() as unknown as BuildValidator
  const customOptions = { ...options.customOptions, allErrors: true }
  const coercing = build(schemas, { ...options, customOptions })
  const strict = build(schemas, { ...options, customOptions: { ...customOptions, coerceTypes: false } })
  return (route: { httpPart?: string }) => (route.httpPart === 'body' ? strict : coercing)(route)
}

export async function start(layer: Layer): Promise<Server> {
  const app = Fastify({ ...serverOptions, schemaController: { compilersFactory: { buildValidator: buildValidator as never } } })
  app.setErrorHandler(layer.answerError as never)
  app.setNotFoundHandler(layer.answerNotFound as never)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.register(async (api) => declareApi(api, layer), { prefix: '/api' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

function declareApi(api: FastifyInstance, layer: Layer): void {
  api.register(underPressure, protection.underPressure)
  api.register(rateLimit, protection.rateLimit)
  api.register(jwt, {
    secret: layer.secret,
    sign: { expiresIn: EXPIRES_IN },
    verify: { extractToken: ({ headers }) => tokenIn(headers.authorization) },
  })
  const parse = api.getDefaultJsonParser('error', 'error')
  api.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else void parse(request, text as string, done)
  })
  const schemas = schemasOf(layer)
  for (const schema of schemas.shared) api.addSchema(schema)
  api.decorateRequest('account', null)

  api.register(async (area) => declarePublic(area, layer, schemas))
  api.register(async (area) => {
    area.addHook('onRequest', async (request) => {
      if (tokenIn(request.headers.authorization) !== undefined) await identify(request, layer)
    })
    declareVisitors(area, layer, schemas)
  })
  api.register(async (area) => {
    area.addHook('onRequest', async (request) => {
      if (tokenIn(request.headers.authorization) === undefined) throw new layer.ApiError(401, { token: 'is missing' })
      await identify(request, layer)
    })
    declareAuthenticated(area, layer, schemas)
  })
}

async function identify(request: FastifyRequest, { ApiError, users }: Layer): Promise<void> {
  let claims: { sub: string }
  try {
    claims = await request.jwtVerify()
  } catch {
    throw new ApiError(401, { token: 'is invalid' })
  }
  const account = await users.findById(Number(claims.sub))
  if (account === undefined) throw new ApiError(401, { token: 'is invalid' })
  request.account = account
}

type Schemas = ReturnType<typeof schemasOf>

function declarePublic(area: FastifyInstance, { ApiError, presentUser, tags, users }: Layer, schemas: Schemas): void {
  area.post<{ Body: { user: { email: string; password: string } } }>('/users/login', { schema: schemas.login }, async ({ body }) => {
    const account = await users.findByCredentials(body.user)
    if (account === undefined) throw new ApiError(401, { credentials: 'invalid' })
    return { user: presentUser(account, area.jwt.sign({ sub: String(account.id) })) }
  })
  area.get('/tags', { schema: schemas.getTags }, async () => ({ tags: await tags() }))
}

function declareVisitors(area: FastifyInstance, { articles, comments, profiles }: Layer, schemas: Schemas): void {
  area.get<{ Querystring: ArticleFilter & Page }>('/articles', { schema: schemas.getArticles }, ({ query, account }) =>
    articles.list(query, query, account?.id),
  )
  area.get<{ Params: { slug: string } }>('/articles/:slug', { schema: schemas.getArticle }, async ({ params, account }) => ({
    article: await articles.find(params.slug, account?.id),
  }))
  area.get<{ Params: { slug: string } }>('/articles/:slug/comments', { schema: schemas.getComments }, async ({ params, account }) => ({
    comments: await comments.list(params.slug, account?.id),
  }))
  area.get<{ Params: { username: string } }>('/profiles/:username', { schema: schemas.getProfile }, async ({ params, account }) => ({
    profile: await profiles.find(params.username, account?.id),
  }))
}

function declareAuthenticated(area: FastifyInstance, { articles, comments, presentUser }: Layer, schemas: Schemas): void {
  area.get('/user', { schema: schemas.getCurrentUser }, async ({ account }) => ({
    user: presentUser(account!, area.jwt.sign({ sub: String(account!.id) })),
  }))
  area.get<{ Querystring: Page }>('/articles/feed', { schema: schemas.getFeed }, ({ query, account }) => articles.feed(query, account!.id))
  area.post<{ Params: { slug: string } }>('/articles/:slug/favorite', { schema: schemas.getArticle }, async ({ params, account }) => ({
    article: await articles.favorite(params.slug, account!.id),
  }))
  area.post<{ Params: { slug: string }; Body: { comment: { body: string } } }>(
    '/articles/:slug/comments',
    { schema: schemas.createComment },
    async ({ params, body, account }) => ({ comment: await comments.create(params.slug, body.comment, account!.id) }),
  )
}
