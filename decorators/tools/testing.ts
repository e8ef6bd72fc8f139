/**
 * Servers for tests: any part of an application, with stubs for what its ancestors would give and fakes in the place of what
 * it declares. No port, no global state: hundreds may run side by side.
 */
import type { InjectOptions, InjectResponse, Reply, ServerOptions } from '../../lib/index.js'
import { type Application, assemble, type BootstrappedServer } from '../run/bootstrap.js'
import type { Class } from '../declare/metadata.js'
import {
  allPlugins,
  decoratorKey,
  joinPaths,
  nameOf,
  type Overrides,
  type PluginNode,
  type RouteNode,
  stubForRequests,
} from '../wiring/module-tree.js'
import { Plugin } from '../declare/plugin.js'
import type { Provider } from '../declare/injectable.js'
import { type RequestDecorator, type Token, tokenKey, tokenName, type TokenValue } from '../declare/tokens.js'

/** What may stand in for a value: everything public of it, or a class that makes such. */
type Substitute<T> = Pick<T, keyof T> | Class<Pick<T, keyof T>>
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
type Pairs = readonly (readonly [unknown, unknown])[]

/** Options of {@link testServer}. */
export interface TestServerOptions<P extends Pairs = Pairs, O extends Pairs = Pairs> {
  /** What the ancestors of the mounted plugin would give: `[[Answer, 1], [Db, fakeDb]]`. */
  provide?: P & { [I in keyof P]: Checked<P[I]> }
  /** What stands in the place of declared providers and request decorators, at any depth: `[[Users, FakeUsers]]`. */
  override?: O & { [I in keyof O]: Checked<O[I]> }
  /** Options of the server, as `bootstrap` takes them. */
  server?: ServerOptions
}

/** A mounted plugin, without a port. `await using` closes it. */
export interface TestServer extends AsyncDisposable {
  /** The server that it is mounted in. */
  readonly server: BootstrappedServer
  /** Sends a request without a socket. */
  inject(request: InjectOptions | string): Promise<InjectResponse>
  /**
   * Calls a route by its class: `call(GetTwo, { query: … })`; one of several methods by the first of them.
   * @throws TypeError where the class is no route of the mounted plugin, or a parameter of the path is missing
   */
  call<T extends { handle: (...args: any[]) => any }>(route: Class<T>, ...input: CallInput<T['handle']>): Promise<CallResult<T['handle']>>
  /**
   * Calls a controller's method: `call(UsersController, 'findOne', { params: … })`.
   * @throws TypeError where the controller has no such route in the mounted plugin, or a parameter of the path is missing
   */
  call<T, M extends keyof T & string>(controller: Class<T>, method: M, ...input: CallInput<T[M]>): Promise<CallResult<T[M]>>
  /**
   * The provider of a token as the mounted plugin sees it, or as a plugin below it that declares it.
   * @throws ResolutionError when neither sees it, or it is request-scoped or transient
   */
  resolve: BootstrappedServer['resolve']
  /** Closes the server. */
  close(): Promise<void>
}

type RequestOf<H> = H extends (request: infer Q, ...rest: any[]) => any ? Q : never
type Part<Q, K extends string> = Q extends { [key in K]: infer T } ? ({} extends T ? { [key in K]?: T } : { [key in K]: T }) : unknown
type Input<Q> = Part<Q, 'body'> &
  Part<Q, 'params'> & { query?: Q extends { query: infer T } ? Partial<T> : unknown; headers?: Record<string, string> }
type CallInput<H> = {} extends Input<RequestOf<H>> ? [input?: Input<RequestOf<H>>] : [input: Input<RequestOf<H>>]

/** The response to a call, its body typed by the handler. */
export interface CallResult<H> {
  readonly status: number
  readonly headers: InjectResponse['headers']
  /** The parsed JSON body; the text where it is none. */
  readonly body: H extends (...args: any[]) => infer R ? Exclude<Awaited<R>, Reply<any, any> | void> : unknown
  /** All of the response. */
  readonly response: InjectResponse
}

/**
 * Mounts a plugin for a test: the root context by itself, or with `provide` below one that gives what its ancestors would.
 * ```ts
 * await using app = await testServer(PublicPlugin, { provide: [[Answer, 1]], override: [[Users, FakeUsers]] })
 * const { status, body } = await app.call(GetTwo)
 * ```
 * @throws WiringError when something that the plugin needs is neither declared nor provided, or an override hits nothing; what
 * `bootstrap` throws
 */
export async function testServer<const P extends Pairs, const O extends Pairs>(
  Mounted: Class,
  options: TestServerOptions<P, O> = {},
): Promise<TestServer> {
  const application = await assemble(surround(Mounted, options.provide ?? []), options.server ?? {}, readOverrides(options.override ?? []))
  const { server, root } = application
  return {
    server,
    inject: (request) => server.inject(request),
    call: async (Class: Class, ...rest: any[]) => {
      const [member, input] = typeof rest[0] === 'string' ? [rest[0], rest[1]] : ['handle', rest[0]]
      return callRoute(server, findRoute(root, Class, member), input ?? {})
    },
    resolve: (token) => resolveIn(application, Mounted, token),
    close: async () => void (await server.close()),
    [Symbol.asyncDispose]: async () => void (await server.close()),
  }
}

/** A root context that gives the mounted plugin what its ancestors would; one that needs nothing is the root itself, as in `bootstrap`. */
function surround(Mounted: Class, provide: Pairs): Class {
  if (provide.length === 0) return Mounted
  class Surroundings {}
  const decorators: RequestDecorator[] = []
  const providers: Provider[] = []
  for (const [key, value] of provide) {
    if (isRequestDecorator(key)) decorators.push({ ...key, value: stubForRequests(value) })
    else providers.push({ provide: key as Token<any>, useValue: value })
  }
  Plugin({ name: 'Test', decorateRequest: decorators, providers, imports: [Mounted] })(Surroundings)
  return Surroundings
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

function isRequestDecorator(key: unknown): key is RequestDecorator {
  return (key as RequestDecorator | undefined)?.kind === 'request decorator'
}

function findRoute(root: PluginNode, Class: Class, member: string): RouteNode {
  const routes = allPlugins(root).flatMap((plugin) => plugin.routes)
  const route = routes.find((entry) => entry.Class === Class && entry.member === member)
  if (route !== undefined) return route
  const known = routes.filter((entry) => entry.Class === Class).map((entry) => String(entry.member))
  throw new TypeError(
    known.length > 0
      ? `${nameOf(Class)} has no route ${member}; it has ${known.join(', ')}.`
      : `${nameOf(Class)} is no route of the mounted plugin. Its routes are: ${routes.map((entry) => entry.path).join(', ') || 'none'}.`,
  )
}

async function callRoute(server: BootstrappedServer, route: RouteNode, input: Record<string, any>): Promise<any> {
  const params: Record<string, string | number | boolean | undefined> = input['params'] ?? {}
  const path = joinPaths(route.plugin.prefix, route.url) || '/'
  const url = path.replaceAll(/:(\w+)(\([^)]*\))?\??|\*/g, (found: string, name: string | undefined) => {
    const value = params[name ?? '*']
    if (value === undefined && !found.endsWith('?'))
      throw new TypeError(`${route.path} has the parameter '${name ?? '*'}': pass { params: { ${JSON.stringify(name ?? '*')}: … } }.`)
    return value === undefined ? '' : name === undefined ? String(value) : encodeURIComponent(String(value))
  })
  const response = await server.inject({
    method: route.methods[0]!,
    url,
    ...(input['query'] !== undefined && { query: input['query'] }),
    ...(input['headers'] !== undefined && { headers: input['headers'] }),
    ...(input['body'] !== undefined && { payload: input['body'] }),
  })
  const isJson = String(response.headers['content-type'] ?? '').includes('json')
  return { status: response.statusCode, headers: response.headers, body: isJson ? response.json() : response.body, response }
}

/** The provider as the mounted plugin sees it; else as the first plugin below it that does. */
function resolveIn({ root, resolve }: Application, Mounted: Class, token: Token<any>): any {
  const mounted = allPlugins(root).find((plugin) => plugin.Class === Mounted)!
  const key = tokenKey(token)
  const declares = (plugin: PluginNode): boolean =>
    (plugin.options.providers ?? []).some((given) => tokenKey(typeof given === 'function' ? given : given.provide) === key)
  return resolve(allPlugins(mounted).find(declares) ?? mounted, token)
}
