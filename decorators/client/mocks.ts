/**
 * Makes handlers of MSW (the package msw, which mocks servers in tests) for the routes of a client. The application passes the object
 * `http` of MSW, so the client file imports nothing. `alcove client --msw` copies this module into the client file, after runtime.ts.
 */
import { type Call, type ClientOptions, type Payload, type RouteEntry, type StatusOf, urlOf } from './runtime.js'

/** The object `http` of MSW, whose functions make handlers. */
export interface MswHttp<Handler> {
  readonly all: (path: string, resolver: (info: any) => any) => Handler
}

type Members<Parts, Name extends string> = Parts extends { readonly [N in Name]?: infer Member } ? Member : unknown

/** The argument of a mock of a route: the request that the client has sent, with its parameters, body and cookies. */
export interface MockRequest<Parts> {
  /** The parameters of the path, as texts. */
  readonly params: { readonly [Name in keyof Members<Parts, 'params'>]: string }
  /** The body: the parsed value of JSON, a `FormData` for a form, otherwise the text; `undefined` if the request has no body. */
  readonly body: [Extract<Members<Parts, 'body'>, FormData | URLSearchParams>] extends [never] ? Members<Parts, 'body'> : FormData
  readonly cookies: { readonly [name: string]: string }
  /** The request as MSW passes it, with its headers, and with the query string in its URL. */
  readonly request: Request
}

type Mock<Status, Body> = { readonly status: Status; readonly headers?: RequestInit['headers'] } & (undefined extends Body
  ? { readonly body?: Body }
  : { readonly body: Body })
// One member of the union of replies has all statuses that the route does not declare. Nothing is known of their bodies.
type Listed<Reply> = Reply extends { readonly status: infer Status; readonly body: infer Body }
  ? unknown extends Body
    ? [499 | 599] extends [Status]
      ? never
      : Mock<Status, Body>
    : Mock<Status, Body>
  : never
type ListedStatus<Reply> = Listed<Reply> extends { readonly status: infer Status } ? Status : never

/**
 * The reply that a mock of a route returns: a status that the route declares, with the body for this status. The body is sent as JSON
 * unless `headers` name another media type. A `Response` is sent unchanged: `HttpResponse.error()`, a stream, or a status that the route
 * does not declare.
 */
export type MockReply<Reply> =
  | Listed<Reply>
  | ([ListedStatus<Reply> & StatusOf<2>] extends [never] ? Mock<StatusOf<2>, unknown> : never)
  | Response

type ArgumentOf<Arguments> = Arguments extends [parts?: infer Parts] ? NonNullable<Parts> : never

/** A function for each route that makes a handler of MSW, under the names of the routes in the client. */
export type Mocks<Routes, Handler> = {
  readonly [Name in keyof Routes]: Routes[Name] extends (...parts: infer Arguments) => Call<infer Reply>
    ? (answer: (request: MockRequest<ArgumentOf<Arguments>>) => MockReply<Reply> | Promise<MockReply<Reply>>) => Handler
    : Mocks<Routes[Name], Handler>
}

type Answer = (request: object) => unknown

export function mockRoutes(routes: object, http: MswHttp<unknown>, options: Pick<ClientOptions, 'baseUrl'>): any {
  const mock = ([name, entry]: [string, any]): [string, unknown] => [
    name,
    entry.path?.join ? (answer: Answer) => mockRoute(entry, answer, http, options) : mockRoutes(entry, http, options),
  ]
  return Object.fromEntries(Object.entries(routes).map(mock))
}

function mockRoute(entry: RouteEntry, answer: Answer, http: any, options: Pick<ClientOptions, 'baseUrl'>): unknown {
  const { method, headers } = entry
  const version = headers?.['accept-version']
  // The object `http` of MSW has no functions for QUERY and TRACE.
  const declare = http[method.toLowerCase()] ?? http.all
  return declare(urlOf({ path: patternOf(entry) }, options), async (info: any) => {
    const { request } = info
    // If a handler returns no reply, MSW asks the next handler.
    if (request.method !== method || (version !== undefined && request.headers.get('accept-version') !== version)) return undefined
    const { 0: wildcard, ...params } = info.params
    const reply: any = await answer({
      ...info,
      params: wildcard === undefined ? params : { ...params, '*': wildcard },
      body: await readMocked(request),
    })
    return reply instanceof Response ? reply : writeMocked(reply)
  })
}

/** Returns the path of a route in the notation of MSW. Characters with a meaning in MSW are escaped. */
function patternOf({ path }: RouteEntry): string {
  return path
    .map((text, index) => {
      if (index % 2 === 0) return text.replace(/[(){}*+?]|:(?!\d)/g, '\\$&')
      // MSW would read a letter behind the name of a parameter as a part of the name.
      return /^\w/.test(path[index + 1] ?? '') ? `${text}([^/]+?)` : text
    })
    .join('')
}

// Not the types of several values, such as application/jsonl.
const jsonType = /[/+]json *(;|$)/i

async function readMocked(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  const sent = request.clone()
  if (/^multipart|urlencoded/i.test(type)) return sent.formData()
  const text = await sent.text()
  return text && jsonType.test(type) ? JSON.parse(text) : text || undefined
}

function writeMocked({ status, body, headers: fields }: { status: number; body?: any; headers?: RequestInit['headers'] }): Response {
  const headers = new Headers(fields)
  // Bytes, a Blob and a stream have the member `Symbol.toStringTag`.
  const isPayload = body?.[Symbol.toStringTag] || !jsonType.test(headers.get('content-type') || 'application/json')
  if (body === undefined || isPayload) {
    const response = new Response(body as Payload, { status, headers })
    // Bytes and streams have no media type of their own. A payload without one would be read as a text.
    if (body !== undefined && !response.headers.has('content-type')) response.headers.set('content-type', 'application/octet-stream')
    return response
  }
  if (!headers.has('content-type')) headers.set('content-type', 'application/json')
  return new Response(JSON.stringify(body), { status, headers })
}
