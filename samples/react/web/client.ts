// The client of App, written by `alcove client`. Do not change it: write it again.
/* eslint-disable */

/** The routes of App. */
export interface Api {
  session: {
    /** POST /api/session */
    logIn: RouteFunction<
      { query?: QueryValues; headers?: HeaderValues; body: { name: string } },
      HttpReply<200, { name: string }> | HttpReply<400 | 413 | 415 | 503, AlcoveError> | OtherReply<200 | 400 | 413 | 415 | 503>
    >
    /** GET /api/session */
    show: RouteFunction<
      { query?: QueryValues; headers?: HeaderValues },
      HttpReply<200, { name: string }> | HttpReply<400 | 503, AlcoveError> | HttpReply<401, NotLoggedIn> | OtherReply<200 | 400 | 401 | 503>
    >
  }
  notes: {
    /** GET /api/notes */
    list: RouteFunction<
      { query?: QueryValues; headers?: HeaderValues },
      HttpReply<200, Note[]> | HttpReply<503, AlcoveError> | OtherReply<200 | 503>
    >
    /** POST /api/notes */
    add: RouteFunction<
      { query?: QueryValues; headers?: HeaderValues; body: { text: string } },
      | HttpReply<201, Note>
      | HttpReply<400 | 413 | 415 | 503, AlcoveError>
      | HttpReply<401, NotLoggedIn>
      | OtherReply<201 | 400 | 401 | 413 | 415 | 503>
    >
  }
}

export interface AlcoveError {
  statusCode: number
  /** The kind of error. Absent for errors of validation, and for errors that were thrown without a code. */
  code?: string
  /** The text of the status. */
  error: string
  message: string
}

export interface NotLoggedIn {
  statusCode: number
  /** The kind of error. Absent for errors of validation, and for errors that were thrown without a code. */
  code?: string
  /** The text of the status. */
  error: string
  message: string
}

export interface Note {
  id: number
  text: string
  by: string
}

/** Makes a client: `createClient({ baseUrl: 'https://example.com' })`. */
export function createClient(options: ClientOptions): Api {
  return bindRoutes<object>(routes, options) as Api
}

export const sessionLogInRoute: RouteEntry<Api['session']['logIn']> = { method: 'POST', path: ['/api/session'] }

export const sessionShowRoute: RouteEntry<Api['session']['show']> = { method: 'GET', path: ['/api/session'] }

export const notesListRoute: RouteEntry<Api['notes']['list']> = { method: 'GET', path: ['/api/notes'] }

export const notesAddRoute: RouteEntry<Api['notes']['add']> = { method: 'POST', path: ['/api/notes'] }

const routes = {
  session: { logIn: sessionLogInRoute, show: sessionShowRoute },
  notes: { list: notesListRoute, add: notesAddRoute },
}

/**
 * The data by which a client calls a route: `{ method: 'GET', path: ['/users/', ':id'] }`. `F` is the type of the function that calls the
 * route.
 */
export interface RouteEntry<F = unknown> {
  readonly method: string
  /** The type of the function that calls the route. This member exists only in the types; no value has it. */
  readonly call?: F
  /**
   * The fixed texts and parameters of the path, alternating, a text first. An optional parameter ends in `?` (`:id?`); a wildcard is `*`.
   */
  readonly path: readonly string[]
  /** The headers by which the server finds the route and chooses the format of the reply. */
  readonly headers?: { readonly [name: string]: string }
  /** The media type of request bodies. Default: `application/json`. */
  readonly body?: string
  /** Makes a form of an object. Only routes with forms have this function, so that bundlers drop its code from other clients. */
  readonly form?: (values: object) => FormData
  /** Reads a stream in a reply. Only routes with streams have this function, so that bundlers drop its code from other clients. */
  readonly stream?: StreamReader
  /** The places of dates in the replies of the route, if the client file was written with `--dates`. */
  readonly dates?: object
}

/** Reads a payload of server-sent events. */
export type StreamReader = (payload: ReadableStream<Uint8Array>, context: StreamContext) => unknown
/** The facts about a call that are needed to read its stream. */
export interface StreamContext {
  /** The method and the path of the route: `GET /ticks`. */
  readonly title: string
  readonly parse: (text: string) => unknown
  /** A function that is called when this stream has ended. */
  readonly end?: () => void
  readonly signal?: AbortSignal
  readonly parts: CallParts
  /** Sends the request of the call again, with other arguments, and reads the new reply with another stream reader. */
  readonly ask?: (stream: StreamReader, parts: CallParts) => Promise<HttpReply>
}

/** The options of a call, which are passed beside `params`, `query`, `headers` and `body`. */
export interface CallOptions {
  /** The signal that aborts the call, and also the stream that the call has received. */
  readonly signal?: AbortSignal
  /**
   * The time limit for the whole reply, or for a stream until its end, in ms. After it, the call rejects with a `TimeoutError`. Default 0:
   * none.
   */
  readonly timeout?: number
  /**
   * How often a call is repeated if it could not be sent, or if the reply is 429, 502, 503 or 504: after the time in `Retry-After`, or else
   * after 100 ms, doubled each time, at most 30 s. Only GET, HEAD, PUT, DELETE and QUERY are repeated (RFC 9110 §9.2.2). Default 0.
   */
  readonly retries?: number
  /** Cookies to send in the header `cookie`. Browsers do not let pages set this header; write `init: { credentials: 'include' }` there. */
  readonly cookies?: HeaderValues
}

/** The arguments of a call of any route: the params, query, headers and body, and the options of the call. */
export interface CallParts extends CallOptions {
  readonly params?: object
  readonly query?: object
  readonly headers?: object
  readonly body?: unknown
  readonly reconnect?: boolean
}

type Scalar = string | number | boolean | null | undefined
/** The values of a query string by name. A list is sent as several values with the same name. */
export interface QueryValues {
  readonly [name: string]: Scalar | readonly Scalar[]
}
/** The values of headers or cookies by name. A value that is `undefined` is not sent. */
export interface HeaderValues {
  readonly [name: string]: string | number | boolean | undefined
}

type Send = (request: Request) => Promise<Response>
/** A function around each request. It may change the request, send it by `next`, return another response instead, or read the response. */
export type Interceptor = (request: Request, next: Send) => Promise<Response>

/** The options of a client. */
export interface ClientOptions extends Pick<CallOptions, 'signal' | 'timeout' | 'retries'> {
  /** The origin and base path of the server: `https://example.com/api`. Default in browsers: the origin of the page. */
  readonly baseUrl?: string
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: Send
  /**
   * Returns headers for each request, such as the current token: `() => ({ authorization: session.token })`. A header of a call replaces a
   * header with the same name.
   */
  readonly headers?: () => HeaderFields | Promise<HeaderFields>
  /** The functions around each request, the outermost first. With `retries`, they run for each attempt. */
  readonly interceptors?: readonly Interceptor[]
  /** Further options of every `fetch`: `{ credentials: 'include' }`. Its `headers` are sent only without the client's option `headers`. */
  readonly init?: Omit<RequestInit, 'body' | 'method' | 'signal'>
}
type HeadersInit = NonNullable<RequestInit['headers']>
/** The headers of a request. A header that is `undefined` is not sent. */
type HeaderFields = HeadersInit | { readonly [name: string]: string | undefined }

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
/** The statuses whose first digit is `Class`: 400 to 499 for 4. */
export type StatusOf<Class extends number> = `${Class}${Digit}${Digit}` extends infer Text
  ? Text extends `${infer Status extends number}`
    ? Status
    : never
  : never
/** A status from 200 to 399. */
export type SuccessStatus = StatusOf<2 | 3>
/** A status from 400 to 599. */
export type ErrorStatus = StatusOf<4 | 5>

/** A reply. In a union of replies, `status` tells the replies apart. */
export interface HttpReply<Status extends number = number, Body = unknown, R extends { headers: unknown } = Response> {
  readonly status: Status
  readonly headers: R['headers']
  /** The payload: the parsed value of JSON, a text, an `EventStream`, otherwise a `Blob`; `undefined` if there is no payload. */
  readonly body: Body
  readonly response: R
}
/** A reply whose status has the first digit `Class` (4: 400 to 499) and is not in `Listed`. */
export interface RangeReply<Class extends number, Listed = never, Body = unknown> extends HttpReply<
  Exclude<StatusOf<Class>, Listed>,
  Body
> {}
/** A reply whose status is not in `Listed` and has none of the first digits in `Class`. */
export interface OtherReply<Listed = never, Body = unknown, Class extends number = never> extends HttpReply<
  Exclude<SuccessStatus | ErrorStatus, Listed | StatusOf<Class>>,
  Body
> {}

/** The promise of a reply, with the method `expect`, which demands a status. */
export interface Call<R extends { status: number; body: unknown } = HttpReply> extends Promise<R> {
  /**
   * Resolves to the body of the reply if the status is one of the arguments; without arguments, if the status is from 200 to 299.
   * ```ts
   * const user = await users.find({ params: { id: 7 } }).expect(200)
   * ```
   * @throws ReplyError if the reply has another status
   */
  expect(): Promise<BodyOf<R, Extract<R['status'], StatusOf<2>>>>
  expect<S extends R['status']>(...statuses: S[]): Promise<BodyOf<R, S>>
}
type BodyOf<R, S> = R extends { status: infer Own; body: infer Body } ? ([S & Own] extends [never] ? never : Body) : never

/** A function that calls a route. */
export interface RouteFunction<Parts, Reply extends { status: number; body: unknown }> {
  (...parts: {} extends Parts ? [parts?: Parts & CallOptions] : [parts: Parts & CallOptions]): Call<Reply>
  /**
   * Returns the URL of the route, for links, images and `EventSource`. The URL does not contain headers that the route needs.
   * ```ts
   * const href = users.find.url({ params: { id: 7 } })
   * ```
   */
  url(...parts: {} extends UrlParts<Parts> ? [parts?: UrlParts<Parts>] : [parts: UrlParts<Parts>]): string
}
type UrlParts<Parts> = Pick<Parts, keyof Parts & ('params' | 'query')>

/**
 * The error for a reply with an unexpected status, or with a JSON media type and a payload that is not JSON (`body` is then the text). The
 * message contains the route, the status, and the message of the payload or the reason.
 */
export class ReplyError extends Error {
  override name = 'ReplyError'
  declare readonly status: number
  declare readonly headers: unknown
  declare readonly body: unknown
  declare readonly response: unknown
  constructor(title: string, reply: { status: number; body: unknown }, reason?: string) {
    const payload: any = reply.body
    super(`${title} was answered ${reply.status}: ${reason ?? payload?.detail ?? payload?.message ?? payload?.title ?? ''}`)
    Object.assign(this, reply)
  }
}

// Short names keep the code small.
const encode = encodeURIComponent
const { entries } = Object

/** Returns the method and the path of a route: `GET /users/:id`. */
function titleOf({ method, path }: RouteEntry): string {
  return `${method} ${path.join('')}`
}

/** The body of a request as `fetch` takes it: bytes, a text, a form or a stream. */
export type Payload = NonNullable<RequestInit['body']>

/** A request in the form in which it is sent. The path is relative to the base URL of the server. */
export interface EncodedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: Payload | undefined
}

/**
 * Converts the arguments of a call to a request.
 * @throws TypeError for a missing or empty parameter, and for a path that would lead elsewhere: `.` and `..` would lead to another path,
 * and `//`, or a path without a slash at its beginning, to another server
 */
function encodeRequest(route: RouteEntry, parts: CallParts, headers: Headers = new Headers()): EncodedRequest {
  const fields = { ...(parts.cookies && { cookie: encodePairs(parts.cookies, '; ') }), ...route.headers, ...parts.headers }
  for (const [name, value] of entries(fields)) if (value != null) headers.set(name, value)
  const query = encodePairs(parts.query, '&')
  const body = encodeBody(parts.body, route, headers)
  return { method: route.method, path: encodePath(route, { ...parts.params }) + (query && `?${query}`), headers, body }
}

function encodePath(route: RouteEntry, params: { [name: string]: any }): string {
  let path = ''
  route.path.forEach((text, index) => {
    const value = params[text.replace(/^:|\?$/g, '')]
    if (index % 2 === 0) path += text
    // Only a wildcard may be empty.
    else if (text === '*' && value != null) path += encode(value).replace(/%2F/g, '/')
    else if (`${value ?? ''}`) path += encode(value)
    else if (text.endsWith('?') && value == null) path = path.replace(/(.)\/$/, '$1')
    // Such a path is refused below, whatever follows.
    else path = '.'
  })
  if (/^(?!\/(?!\/))|\/\.\.?(\/|$)/.test(path)) throw new TypeError(`${titleOf(route)} has no URL for ${JSON.stringify(params)}`)
  return path
}

function encodePairs(values: object | undefined, separator: string): string {
  const textOf = (value: any) => (typeof value === 'object' && value ? (value.toJSON?.() ?? JSON.stringify(value)) : (value ?? ''))
  return entries(values ?? {})
    .flatMap(([name, value]) => [value].flat().flatMap((each) => (each === undefined ? [] : [name, textOf(each)].map(encode).join('='))))
    .join(separator)
}

const contentType = 'content-type'
const isJson = /(application\/|\+)json *(;|$)/i

function encodeBody(body: any, route: RouteEntry, headers: Headers): Payload | undefined {
  // Bytes, streams and forms have a tag. `fetch` knows the media type of forms, and of a `Blob` that has one.
  const tag: string | undefined = body?.[Symbol.toStringTag]
  const type = headers.get(contentType) ?? (tag ? body.type || route.body : (route.body ?? 'application/json'))
  if (body === undefined || /^(Form|URL)/.test(tag!)) return body
  if (!tag && route.form && /^multi/i.test(type)) {
    // `fetch` sets the header, with the boundary of the form.
    headers.delete(contentType)
    return route.form(body)
  }
  if (type) headers.set(contentType, type)
  return tag ? body : isJson.test(type) ? JSON.stringify(body) : typeof body === 'object' ? encodePairs(body, '&') : `${body}`
}

/**
 * Reads the payload of a response by its media type.
 * @param readStream reads server-sent events; without this function, the stream of bytes is returned
 */
async function decodeBody(
  response: Response,
  parse: (text: string) => unknown = JSON.parse,
  readStream?: (payload: ReadableStream<Uint8Array>) => unknown,
): Promise<unknown> {
  const type = response.headers.get(contentType) ?? ''
  const payload = response.body
  if (!payload) return undefined
  if (/event-stream/.test(type)) return readStream ? readStream(payload) : payload
  const isParsed = isJson.test(type)
  if (!isParsed && !/^$|^text\/|[/+]xml/i.test(type)) return response.blob()
  const text = await response.text()
  // A text may be empty; JSON may not.
  if (text || (type && !isParsed)) return isParsed ? parse(text) : text
  return undefined
}

/** Adds {@link Call.expect} to the promise of a reply. `title` is the method and path of the route, for the error. */
function toCall<R extends { status: number; body: unknown }>(title: string, promise: Promise<R>): Call<R> {
  const expect = async (...statuses: number[]): Promise<any> => {
    const reply = await promise
    if (statuses[0] ? statuses.includes(reply.status) : reply.status < 300) return reply.body
    throw new ReplyError(title, reply)
  }
  return Object.assign(promise, { expect })
}

/** Calls a route with these arguments, and returns the promise of its reply. */
function callRoute(route: RouteEntry, parts: CallParts, options: ClientOptions): Call<any> {
  return toCall(titleOf(route), sendRequest(route, parts, options))
}

/** The functions that call routes, with the same names and groups as the route entries in `Routes`. */
export type Bound<Routes> = {
  readonly [Name in keyof Routes]: Routes[Name] extends RouteEntry<infer F> ? F : Bound<Routes[Name]>
}

/**
 * Makes a client of the passed routes only, so that a bundler leaves out all other routes. The client has the same names and groups as the
 * object `routes`.
 * ```ts
 * const api = bindRoutes({ users: { find: usersFindRoute } }, { baseUrl: 'https://example.com' })
 * ```
 */
export function bindRoutes<Routes extends object>(routes: Routes, options: ClientOptions): Bound<Routes> {
  const bind = ([name, entry]: [string, any]): [string, unknown] => [
    name,
    entry.path?.join
      ? Object.assign((parts: CallParts = {}) => callRoute(entry, parts, options), {
          url: (parts: CallParts = {}) => urlOf(encodeRequest(entry, parts), options),
        })
      : bindRoutes(entry, options),
  ]
  return Object.fromEntries(entries(routes).map(bind)) as Bound<Routes>
}

function urlOf({ path }: Pick<EncodedRequest, 'path'>, { baseUrl }: ClientOptions): string {
  const base = baseUrl ?? (globalThis as { location?: { origin: string } }).location?.origin
  if (base === undefined) throw new TypeError('Write baseUrl: only pages need none')
  return base.replace(/\/$/, '') + path
}

async function sendRequest(route: RouteEntry, parts: CallParts, options: ClientOptions): Promise<HttpReply> {
  const timeout = parts.timeout ?? options.timeout
  const fields: any = (await options.headers?.()) ?? options.init?.headers ?? {}
  const pairs: [string, string][] = fields[Symbol.iterator] ? [...fields] : entries(fields)
  const request = encodeRequest(route, parts, new Headers(pairs.filter(([, value]) => value != null)))
  const url = urlOf(request, options)
  const call = new AbortController()
  const timer = timeout && setTimeout(() => call.abort(new DOMException(titleOf(route), 'TimeoutError')), timeout)
  const end = (): void => clearTimeout(timer)
  // Older types of browsers do not have `any`.
  const signal: AbortSignal = (AbortSignal as any).any([call.signal, options.signal, parts.signal].filter(Boolean))
  const send = (options.interceptors ?? []).reduceRight<Send>(
    (next, intercept) => (request) => intercept(request, next),
    options.fetch ?? fetch,
  )
  const isStreamSent = (request.body as ReadableStream | undefined)?.getReader
  const last = isStreamSent || !/^(GET|HEAD|PUT|DELETE|QUERY)$/.test(request.method) ? 0 : (parts.retries ?? options.retries ?? 0)
  let isStream
  try {
    for (let attempt = 0; ; attempt++) {
      const init: any = { ...options.init, ...request, signal, duplex: 'half' }
      const response: Response | undefined = await send(new Request(url, init)).catch((error): any => {
        if (attempt >= last || signal.aborted) throw error
      })
      const status: any = response?.status
      if (response && (attempt >= last || !/429|50[234]/.test(status))) {
        const reply = await readReply(route, parts, options, response, signal, end)
        isStream = reply.body?.[Symbol.asyncIterator]
        return reply
      }
      await response?.body?.cancel()
      const after: any = response?.headers.get('retry-after')
      const wait = after * 1000 || Date.parse(after) - Date.now() || 100 * 2 ** attempt
      // A date may have passed.
      await sleep(Math.max(Math.min(wait, 30_000), 0), signal)
    }
  } finally {
    if (!isStream) end()
  }
}

async function readReply(
  route: RouteEntry,
  parts: CallParts,
  options: ClientOptions,
  response: Response,
  signal: AbortSignal,
  end: () => void,
): Promise<any> {
  const { status, headers } = response
  const { stream } = route
  const title = titleOf(route)
  const reply: any = { status, headers, response }
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new ReplyError(title, { ...reply, body: text }, `${error}`)
    }
  }
  const ask = (stream: StreamReader, more: CallParts) => sendRequest({ ...route, stream }, { ...parts, ...more }, options)
  reply.body = await decodeBody(response, parse, stream && ((payload) => stream(payload, { title, parse, end, signal, parts, ask })))
  return reply
}

/**
 * Waits for a number of ms, or until the signal is aborted; the caller's next use of the signal then rejects. Rejects at once if the signal
 * is aborted already.
 */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  let timer
  await new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
    signal.onabort = resolve
  })
  clearTimeout(timer)
}

/**
 * The data of a query or mutation: the union of the bodies of the success replies that the route declares. TanStack Query allows no
 * `undefined`, so the data of a reply without a body is `null`.
 */
type DataOf<Reply> = [Declared<Reply>] extends [never] ? unknown : Exclude<Declared<Reply>, undefined> | NullIf<Declared<Reply>>
type Declared<Reply> = Reply extends { readonly status: infer Status; readonly body: infer Body }
  ? [Status & StatusOf<2>] extends [never]
    ? never
    : unknown extends Body
      ? never
      : Body
  : never
type NullIf<Body> = undefined extends Body ? null : never

/** The params, query, headers and body of a call, without its options, which are not in the key of a query. */
type PartsOf<Arguments> = Arguments extends [parts?: infer Parts] ? (Parts extends object ? Omit<Parts, keyof CallOptions> : never) : never

/** The options of a query, for `useQuery`, `useSuspenseQuery`, `fetchQuery`, `prefetchQuery` and `ensureQueryData`. */
export interface QueryOptions<Data> {
  /**
   * The key of the query: the group and the name of the route, then the arguments of the call: `['users', 'find', { params: { id: 7 } }]`.
   */
  readonly queryKey: readonly unknown[]
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>
}

/** The options of a mutation, for `useMutation`. */
export interface MutationOptions<Parts, Data> {
  readonly mutationKey: readonly string[]
  readonly mutationFn: (parts: Parts) => Promise<Data>
}

/** A function for each route that makes the options of a query, under the names of the routes in the client. */
export type Queries<Routes> = {
  readonly [Name in keyof Routes]: Routes[Name] extends (...parts: infer Arguments) => Call<infer Reply>
    ? (...parts: {} extends PartsOf<Arguments> ? [parts?: PartsOf<Arguments>] : [parts: PartsOf<Arguments>]) => QueryOptions<DataOf<Reply>>
    : Queries<Routes[Name]>
}

/** A function for each route that makes the options of a mutation, under the names of the routes in the client. */
export type Mutations<Routes> = {
  readonly [Name in keyof Routes]: Routes[Name] extends (...parts: infer Arguments) => Call<infer Reply>
    ? () => MutationOptions<PartsOf<Arguments> | ({} extends PartsOf<Arguments> ? void : never), DataOf<Reply>>
    : Mutations<Routes[Name]>
}

/**
 * Makes the options of queries: `useQuery(queries(api).users.find({ params: { id: 7 } }))`. A key begins with the group, so
 * `invalidateQueries({ queryKey: ['users'] })` invalidates all queries of the group. If a reply has no success status, the query rejects
 * with a `ReplyError`. If a query is cancelled, its request is aborted.
 */
export function queries<Routes extends object>(api: Routes): Queries<Routes> {
  return mapRoutes(api, [], (call, key) => (parts?: object) => ({
    queryKey: parts ? [...key, parts] : key,
    queryFn: ({ signal }: { signal: AbortSignal }) => dataOf(call({ ...parts, signal })),
  }))
}

/** Makes the options of mutations: `useMutation(mutations(api).users.add())`, whose `mutate` takes the arguments of the call. */
export function mutations<Routes extends object>(api: Routes): Mutations<Routes> {
  return mapRoutes(api, [], (call, key) => () => ({ mutationKey: key, mutationFn: (parts?: object) => dataOf(call(parts)) }))
}

type AnyCall = (parts?: object) => { expect(): Promise<unknown> }

async function dataOf(call: ReturnType<AnyCall>): Promise<unknown> {
  return (await call.expect()) ?? null
}

function mapRoutes(routes: object, path: readonly string[], make: (call: AnyCall, key: readonly string[]) => unknown): any {
  const map = ([name, entry]: [string, any]): [string, unknown] => {
    const key = [...path, name]
    return [name, typeof entry === 'function' ? make(entry, key) : mapRoutes(entry, key, make)]
  }
  return Object.fromEntries(Object.entries(routes).map(map))
}

/**
 * Whether a reply or a `ReplyError` is an error as the server writes it, whatever its status is. The page of a proxy is none, nor is a payload of
 * another form.
 */
export function isServerError<R extends { readonly status: number; readonly body: unknown }>(
  reply: R,
): reply is R & { readonly body: AlcoveError } {
  const body: any = reply.body
  const areTexts = (...names: string[]): boolean => names.every((name) => typeof body[name] === 'string')
  return !!body && body.statusCode === reply.status && areTexts('error', 'message') && (body.code === undefined || areTexts('code'))
}
