/** What the applications share: the modules of samples/conduit that know nothing of a framework. ../layer.mjs loads them. */
import { randomUUID } from 'node:crypto'

export interface Account {
  id: number
  username: string
  email: string
  bio: string | null
  image: string | null
}

export interface Page {
  limit: number
  offset: number
}

export interface ArticleFilter {
  tag?: string
  author?: string
  favorited?: string
}

export interface Layer {
  secret: string
  users: {
    findById(id: number): Promise<Account | undefined>
    findByCredentials(credentials: { email: string; password: string }): Promise<Account | undefined>
  }
  articles: {
    list(filter: ArticleFilter, page: Page, viewer: number | undefined): Promise<object>
    feed(page: Page, viewer: number): Promise<object>
    find(slug: string, viewer: number | undefined): Promise<object>
    favorite(slug: string, user: number): Promise<object>
  }
  comments: {
    list(slug: string, viewer: number | undefined): Promise<object[]>
    create(slug: string, comment: { body: string }, author: number): Promise<object>
  }
  profiles: { find(username: string, viewer: number | undefined): Promise<object> }
  tags(): Promise<string[]>
  presentUser(account: Account, token: string): object
  /** The error of the sample with a status and messages by field. */
  ApiError: new (status: number, errors: Record<string, string>) => Error & { statusCode: number; errors: object }
  /** The error handler of the sample, which needs nothing but `reply.code` and `reply.send`. */
  answerError(this: unknown, error: unknown, request: unknown, reply: unknown): unknown
  answerNotFound(request: unknown, reply: unknown): unknown
  /** Keywords of schemas. */
  keywords: {
    text: object
    nullableText: object
    time: object
    email: object
    password: object
    page: { limit: object; offset: object }
    slugParams: object
    usernameParams: object
  }
}

/** The token of an `Authorization` header. */
export function tokenIn(header: string | undefined): string | undefined {
  return /^(?:Token|Bearer) +(?!(?:null|undefined)$)(\S+)$/i.exec(header ?? '')?.[1]
}

/** Options of the server, as the sample has them. */
export const serverOptions = {
  requestIdHeader: 'x-request-id',
  genReqId: () => randomUUID(),
  routerOptions: { maxParamLength: 1000 },
}

/** Options of the plugins that the sample registers, with the configuration of the measurement: they count and refuse nothing. */
export const protection = { underPressure: { maxEventLoopDelay: 0, retryAfter: 5 }, rateLimit: { global: false } }

export const EXPIRES_IN = '30d'
