/**
 * Test servers for any plugin of an application, with stubs for the providers and decorators of its ancestors, and substitutes for its own
 * providers. Test servers use no port and no global state, so hundreds can run at the same time.
 */
import type { HttpErrorClass, InjectOptions, InjectResponse, Server, ServerOptions } from '../../lib/index.js'
import { containsStream, splitPath } from '../../lib/internal.js'
import { toForm } from '../client/forms.js'
import { isMultipart, mainBodyType, toRouteEntry } from '../client/route-entry.js'
import { readEvents } from '../client/streams.js'
import { type Call, type CallParts, decodeBody, encodeRequest, type HttpReply, type RouteEntry, toCall } from '../client/runtime.js'
import type { ClassHookName } from '../declare/hook.js'
import type { Provider } from '../declare/injectable.js'
import type { Class } from '../declare/metadata.js'
import { isImportEntry } from '../declare/imports.js'
import { Plugin } from '../declare/plugin.js'
import { type BootstrappedServer, type RequestDecorator, type Token, tokenKey, tokenName, type TokenValue } from '../declare/tokens.js'
import { type Application, assemble } from '../run/bootstrap.js'
import { isRequestDecorator } from '../wiring/checks/entries.js'
import { fault, WiringError } from '../wiring/faults.js'
import { isChildContext, isPluginClass } from '../wiring/imports.js'
import { decoratorKey, stubForRequests } from '../wiring/module-tree.js'
import { allPlugins, type Overrides, type PluginNode, type RouteNode } from '../wiring/nodes.js'
import { readPluginOptions } from '../wiring/option-kinds.js'
import { isClass, nameOf } from '../wiring/value-names.js'
import type { CallInput, RepliesOf, RouteMethod } from './call-types.js'
import { createErrorPrinter, hasLogger } from './error-printer.js'
import type { ReplyFaults } from './reply-check.js'
import { assertTestOptions } from './test-options.js'

/** A substitute for a value of the type `T`: an object with the same public members, or a class whose instances have these members. */
type Substitute<T> = Needed<T, keyof T> | Class<Needed<T, NeededOf<T>>>
// Only the framework calls hooks and handlers, so a substitute may return other replies than the original.
type Needed<T, K extends keyof T> = { [M in K]: M extends ClassHookName | 'errorHandler' | 'notFoundHandler' ? AnyMethod<T[M]> : T[M] }
type AnyMethod<M> = M extends (...args: any[]) => unknown ? (...args: any[]) => unknown : M
/** The names of the members that a substitute for `T` must have. A plugin class needs no `setup` to replace a plugin class that has one. */
type NeededOf<T> = T extends { setup(instance: Server, ...rest: any[]): unknown }
  ? Parameters<T['setup']> extends []
    ? keyof T
    : Exclude<keyof T, 'setup'>
  : keyof T
type DecoratorValue<D> = D extends RequestDecorator<string, infer T> ? T : never
type Checked<E> = E extends readonly [infer K, infer V]
  ? K extends RequestDecorator
    ? V extends DecoratorValue<K>
      ? E
      : readonly [K, DecoratorValue<K>]
    : V extends Substitute<TokenValue<K>>
      ? E
      : readonly [K, Substitute<TokenValue<K>>]
  : never
/**
 * The type of an entry of `provide`, checked like an entry of `override` ({@link Checked}) with two differences. A class is constructed
 * only if the token is a class; for another token, the class itself is the value. A stub of a class may have only the members that the test
 * needs.
 */
type CheckedStub<E> = E extends readonly [RequestDecorator, unknown]
  ? Checked<E>
  : E extends readonly [infer K extends Class | (abstract new (...args: any[]) => unknown), infer V]
    ? V extends Substitute<TokenValue<K>> | Stub<TokenValue<K>, V>
      ? E
      : readonly [K, Stub<TokenValue<K>, V>]
    : E extends readonly [infer K, infer V]
      ? V extends Needed<TokenValue<K>, keyof TokenValue<K>>
        ? E
        : readonly [K, Needed<TokenValue<K>, keyof TokenValue<K>>]
      : never
/** The type of a stub for a class: an object or a class whose members the stubbed class must have too. */
type Stub<T, V> = V extends Class<infer I> ? Class<Members<T, I>> : V extends (...args: any[]) => unknown ? never : Members<T, V>
type Members<T, StubType> = Partial<Needed<T, keyof T>> & {
  readonly [M in Exclude<keyof StubType, keyof T>]: 'is not a public member of the class'
}
type Pairs = readonly (readonly [unknown, unknown])[]

/** The options of {@link testServer}. */
export interface TestServerOptions<P extends Pairs = Pairs, O extends Pairs = Pairs> {
  /**
   * Stubs for the providers and request decorators of ancestors: `[[Answer, 1], [Db, fakeDb], [Users, FakeUsers]]`. A class as the stub of
   * a class is constructed, with dependencies from the other stubs. A stub of a class needs only the members that the test uses:
   * `[Tickets, { list: () => [] }]`.
   */
  provide?: P & { [I in keyof P]: CheckedStub<P[I]> }
  /**
   * Substitutes for declarations of the mounted plugin and of plugins below it:
   * `[[Users, FakeUsers], [RolesGuard, AllowAll], [MailPlugin, FakeMail]]`. A provider, a request decorator, a hook class, or a class in an
   * option for a handler, formatter or parser is replaced with a value, or with a class, which is then constructed. An imported plugin is
   * replaced with another plugin, which gets the prefix and the options of the import.
   */
  override?: O & { [I in keyof O]: Checked<O[I]> }
  /** The error classes that the ancestors list in `throws`. */
  throws?: readonly HttpErrorClass[]
  /** The shared schemas that the ancestors list in `schemas`: `[Ticket]`. */
  schemas?: readonly (object | Class)[]
  /** The prefix of the ancestors, for routes that need its parameters: `/tenants/:tenant`. */
  prefix?: string
  /**
   * How a reply is treated that is not as its route describes it: of another status or media type, or with another body or header. `check`
   * fails the test, `warn` prints each such fault once on stderr, `ignore` compares nothing. Of a route that declares no replies, only the
   * headers of a deprecation are compared. Default: `check`.
   */
  replies?: 'check' | 'warn' | 'ignore'
  /**
   * Server options, as for `bootstrap`. Without a `logger`, errors that the server logs at the level `error` are printed on stderr, unless
   * they are an `HttpError`; `logger: false` prints nothing.
   */
  server?: ServerOptions
}

const optionNames: { readonly [K in keyof Required<TestServerOptions>]: true } = {
  provide: true,
  override: true,
  throws: true,
  schemas: true,
  prefix: true,
  replies: true,
  server: true,
}

/** A server for a test, which runs the plugin that the test mounts. The server opens no port; `await using` closes it. */
export interface TestServer extends AsyncDisposable {
  /** The server that runs the mounted plugin. */
  readonly server: BootstrappedServer
  /** Sends a request to the server, without a socket. */
  inject(request: InjectOptions | string): Promise<InjectResponse>
  /**
   * Calls a route by its class: `call(GetTwo, { query: … })`. If the route has several HTTP methods, or its class is in several contexts,
   * the first one is used.
   * @throws TypeError if the class is not a route of the mounted plugin, if a parameter of the path is missing, or for a body of a GET
   */
  call<T extends { handle: (...args: any[]) => any }>(route: Class<T>, ...parts: CallInput<T['handle']>): Call<RepliesOf<T['handle']>>
  /**
   * Calls a route by its controller and method: `call(UsersController, 'findOne', { params: … })`.
   * @throws TypeError if the controller has no such route in the mounted plugin, if a parameter of the path is missing, or for a body of a
   * GET
   */
  call<T, M extends RouteMethod<T>>(controller: Class<T>, method: M, ...parts: CallInput<T[M]>): Call<RepliesOf<T[M]>>
  /**
   * Returns the instance of a token in the mounted plugin, or else in the first plugin below that declares the token.
   * @throws ResolutionError if the token has no instance in either plugin, or if its provider is request-scoped or transient
   */
  resolve: BootstrappedServer['resolve']
  /** Closes the server. */
  close(): Promise<void>
}

/**
 * Mounts a plugin for a test, and returns the server that runs it. The plugin becomes the root context or, with `provide`, `schemas`,
 * `throws` or `prefix`, a child of a root context that declares these.
 * ```ts
 * await using app = await testServer(PublicPlugin, { provide: [[Answer, 1]], override: [[Users, FakeUsers]] })
 * const { status, body } = await app.call(GetTwo)
 * ```
 * @throws TypeError for an unknown option; WiringError (ALC_ERR_WIRING) if the plugin lacks a dependency, or if an override replaces
 * nothing; all other errors of `bootstrap`. If a route replies with an error ({@link httpError}) that the route does not list in `throws`,
 * `inject` or `call` rejects with ALC_ERR_ERROR_UNLISTED; for requests that the test sends in another way, `close` rejects with this error.
 */
export async function testServer<const P extends Pairs, const O extends Pairs>(
  Mounted: Class,
  options: TestServerOptions<P, O> = {},
): Promise<TestServer> {
  assertTestOptions(options, Object.keys(optionNames))
  const overrides = readOverrides(options.override ?? [])
  // The plugin with the stubs may import the mounted plugin, whose override would then be carried out.
  if (overrides.has(Mounted)) throw new WiringError(nameOf(Mounted), [fault('OVERRIDE_OF_MOUNTED', nameOf(Mounted))])
  const { replies = 'check' } = options
  const watcher = replies === 'ignore' ? undefined : await createReplyFaults(replies)
  const application = await assemble(
    withAncestor(Mounted, options, overrides),
    hasLogger(options.server) ? options.server! : { ...options.server, logger: createErrorPrinter() },
    { overrides, watcher },
  )
  const { server, root } = application
  const inject = async (request: InjectOptions | string): Promise<InjectResponse> => {
    const response = await server.inject(request)
    watcher?.assertDescribed(response.raw.res, response.rawPayload)
    return response
  }
  const close = async (): Promise<void> => {
    await server.close()
    watcher?.assertOthersDescribed()
  }
  if (watcher !== undefined) watchers.set(server, watcher)
  return {
    server,
    inject,
    call: (Class: Class, ...rest: any[]): Call<any> => {
      const [member, parts] = typeof rest[0] === 'string' ? [rest[0], rest[1]] : ['handle', rest[0]]
      return injectRoute(inject, findRoute(root, Class, member), parts ?? {})
    },
    resolve: (token) => resolveIn(application, Mounted, token),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const watchers = new WeakMap<Server, ReplyFaults>()

/** Returns the faults of replies that a test server has found; `undefined` if the server does not compare replies. */
export function replyFaultsOf({ server }: TestServer): ReplyFaults | undefined {
  return watchers.get(server)
}

/** Creates the comparison of replies. Its module is loaded only in tests, because it needs OpenAPI documents and a second validator. */
async function createReplyFaults(mode: 'check' | 'warn'): Promise<ReplyFaults> {
  const { ReplyFaults: Faults } = await import('./reply-check.js')
  return Faults.create(mode)
}

/**
 * Returns a root plugin that imports the mounted plugin and declares the test's stubs of missing ancestors; the mounted plugin itself if
 * there are no stubs.
 */
function withAncestor(Mounted: Class, options: TestServerOptions, overrides: Overrides): Class {
  const { provide = [], prefix = '', throws = [], schemas = [] } = options
  if (provide.length === 0 && prefix === '' && throws.length === 0 && schemas.length === 0) return Mounted
  class Ancestor {}
  const unused = provide.filter(([key]) => !isRequestDecorator(key) && declaresProvider(Mounted, tokenKey(key as Token<any>), overrides))
  if (unused.length > 0)
    throw new WiringError(
      nameOf(Mounted),
      unused.map(([key]) => fault('PROVIDE_UNUSED', tokenName(key), nameOf(Mounted))),
    )
  const decorators: RequestDecorator[] = []
  const providers: Provider[] = []
  for (const [key, value] of provide) {
    if (isRequestDecorator(key)) decorators.push({ ...key, value: stubForRequests(value) })
    else if (isClass(key) && isClass(value)) providers.push({ provide: key, useClass: value })
    else providers.push({ provide: key as Token<any>, useValue: value })
  }
  Plugin({ name: 'Test', prefix, throws, schemas, decorateRequest: decorators, providers, imports: [Mounted] })(Ancestor)
  return Ancestor
}

/** Whether the context of a plugin class declares a provider for a token: in the plugin itself, or in a shared plugin that it imports. */
function declaresProvider(PluginClass: Class, key: object | symbol | string, overrides: Overrides): boolean {
  const options = typeof PluginClass === 'function' ? readPluginOptions(PluginClass) : undefined
  const { providers = [], private: hidden = [], imports = [] } = options ?? {}
  if (listsToken(providers, key)) return !hidden.some((token) => tokenKey(token) === key)
  return imports.some((entry) => {
    const plugin: unknown = isImportEntry(entry) ? entry.plugin : entry
    if (!isPluginClass(plugin) || isChildContext(entry)) return false
    const substitute = overrides.has(plugin) ? overrides.get(plugin)!.substitute : plugin
    return isPluginClass(substitute) && declaresProvider(substitute, key, overrides)
  })
}

function listsToken(providers: readonly Provider[], key: object | symbol | string): boolean {
  return providers.some((provider) => provider != null && tokenKey(typeof provider === 'function' ? provider : provider.provide) === key)
}

function readOverrides(pairs: Pairs): Overrides {
  return new Map(
    pairs.map(([key, substitute]) =>
      isRequestDecorator(key)
        ? [decoratorKey(key.name), { name: `request.${key.name}`, substitute }]
        : [tokenKey(key as Token<any>), { name: tokenName(key), substitute }],
    ),
  )
}

function findRoute(root: PluginNode, Class: Class, member: string): RouteNode {
  const routes = allPlugins(root).flatMap((plugin) => plugin.routes)
  const route = routes.find((entry) => entry.Class === Class && entry.member === member)
  if (route !== undefined) return route
  const known = routes.filter((entry) => entry.Class === Class).map((entry) => String(entry.member))
  throw new TypeError(
    known.length > 0
      ? `${nameOf(Class)} has no route ${member}; it has ${known.join(', ')}.`
      : `${nameOf(Class)} is not a route of the mounted plugin. Its routes are: ${routes.map((entry) => entry.path).join(', ') || 'none'}.`,
  )
}

function injectRoute(inject: TestServer['inject'], { fullUrl, methods, options, schema, path }: RouteNode, parts: CallParts): Call<any> {
  const params: Record<string, unknown> = { ...parts.params }
  const missing = splitPath(fullUrl).parameters.find(({ name, isOptional }) => !isOptional && params[name] == null)
  if (missing !== undefined)
    throw new TypeError(`${path} has the parameter '${missing.name}': pass { params: { ${JSON.stringify(missing.name)}: … } }.`)
  const method = methods[0]!
  // `fetch` refuses to send such a body, and the server does not read it.
  if (parts.body !== undefined && (method === 'GET' || method === 'HEAD'))
    throw new TypeError(`${path} is called with ${method}, which has no body: pass { query: … }, or leave body out.`)
  const headers = { ...constraintHeaders(options), ...(containsStream(schema?.response) && { accept: 'text/event-stream' }) }
  const body = bodyTypeOf(schema)
  const route = { ...toRouteEntry(method, fullUrl, { headers, ...(body !== undefined && { body }) }), form: toForm }
  return toCall(path, injectCall(inject, route, parts))
}

function bodyTypeOf({ body, consumes }: NonNullable<RouteNode['schema']> = {}): string | undefined {
  const { content } = (body ?? {}) as { readonly content?: { readonly [mediaType: string]: unknown } }
  return content === undefined ? consumes?.find(isMultipart) : mainBodyType(content)
}

async function injectCall(
  inject: TestServer['inject'],
  route: RouteEntry,
  parts: CallParts,
): Promise<HttpReply<number, unknown, InjectResponse>> {
  const { method, path, headers, body } = encodeRequest(route, parts)
  const isText = body === undefined || typeof body === 'string'
  // A `Request` writes forms as `fetch` does.
  const sent = isText ? undefined : new Request('http://localhost', { method, body, duplex: 'half' })
  const type = sent?.headers.get('content-type')
  const response = await inject({
    method,
    url: path,
    headers: { ...(type != null && { 'content-type': type }), ...Object.fromEntries(headers) },
    ...(body !== undefined && { payload: sent === undefined ? body : Buffer.from(await sent.arrayBuffer()) }),
    ...(parts.signal !== undefined && { signal: parts.signal }),
  })
  const { statusCode: status, rawPayload } = response
  // Other replies have a body, which may be an empty text.
  const isNull = method === 'HEAD' || status === 204 || status === 205 || status === 304
  const received = new Response(isNull ? null : rawPayload, { headers: { 'content-type': String(response.headers['content-type'] ?? '') } })
  return {
    status,
    headers: response.headers,
    body: await decodeBody(received, JSON.parse, (payload) => readEvents(payload, { title: path, parse: JSON.parse, parts })),
    response,
  }
}

/** Returns the request headers for the constraints `version` and `host` of a route. The caller passes headers for other constraints. */
function constraintHeaders(options: RouteNode['options']): Record<string, string> {
  const { version, host } = (options.constraints ?? {}) as { version?: unknown; host?: unknown }
  return { ...(typeof version === 'string' && { 'accept-version': version }), ...(typeof host === 'string' && { host }) }
}

/**
 * Returns the instance of a token in the first plugin that declares the token, starting at the mounted plugin; if no plugin declares the
 * token, its instance in the mounted plugin.
 */
function resolveIn({ root, resolve }: Application, Mounted: Class, token: Token<any>): any {
  const mounted = allPlugins(root).find((plugin) => plugin.Class === Mounted)!
  const key = tokenKey(token)
  const declares = (plugin: PluginNode): boolean => listsToken(plugin.options.providers ?? [], key)
  return resolve(allPlugins(mounted).find(declares) ?? mounted, token)
}
