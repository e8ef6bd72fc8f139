/**
 * Declares a plugin class in its context: options, imports, hooks and routes, always in the same order, for one of two hosts. The host in
 * ./assembly.ts registers and constructs; the host in ./blueprint.ts only describes.
 */
import type { Plugin as PluginFunction, RouteHandler, RouteOptions, Server } from '../../lib/index.js'
import {
  addDeclaredReplies,
  type Context,
  coverBelow,
  type DeclaredRoute,
  isPromiseLike,
  kPlace,
  kRunsFirst,
  kSkipOverride,
  type RoutePlace,
  setDeclaredReplies,
} from '../../lib/internal.js'
import { getDeclaredReplies } from '../declare/class-replies.js'
import { type ClassHookName, getThrown, isFirstHook } from '../declare/hook.js'
import { aroundName, aroundsOf, type AroundUse } from '../wiring/arounds.js'
import { fault, WiringError } from '../wiring/faults.js'
import { joinPaths } from '../wiring/build-routes.js'
import { decoratorEntries } from '../wiring/module-tree.js'
import {
  ancestors,
  contextPrefix,
  type FunctionNode,
  isPluginNode,
  type PluginNode,
  type RouteNode,
  type UsedHook,
} from '../wiring/nodes.js'
import type { Wiring } from '../wiring/provider-record.js'
import { errorHandlerOf, notFoundHandlerOf, parserOf, schemaErrorFormatterOf } from './handler-classes.js'
import type { Instances } from './scopes/request-scopes.js'

type Method = (...args: any[]) => any

/** Marks a plugin function so that its declarations apply to the context in which it is registered, not to a new one. */
export function shareWithParent(plugin: PluginFunction): PluginFunction {
  return Object.assign(plugin, { [kSkipOverride]: true })
}

/** Returns the prefix of a plugin's context, relative to the context above it. */
export function ownPrefix(node: PluginNode): string {
  return node.prefix.slice(contextPrefix(node.parent!.contextOwner).length)
}

/** Returns that end of a plugin's prefix which is not in the prefix of the context where the plugin declares. */
function extraPrefix(node: PluginNode): string {
  return node.prefix.slice(contextPrefix(node.contextOwner).length)
}

/**
 * Returns the URLs of a route, relative to its context: two URLs if requests to the prefix itself are accepted both with and without a
 * slash.
 */
function relativeUrls({ plugin, url, options, methods }: RouteNode, { initialConfig }: Server): string[] {
  const extra = extraPrefix(plugin)
  if (extra === '' || url !== '/') return [extra + url]
  const { prefixTrailingSlash = 'both' } = options
  // As for a HEAD route in a context with a prefix of its own.
  const isHead = methods.length === 1 && methods[0] === 'HEAD'
  if (prefixTrailingSlash === 'slash' || isHead) return [`${extra}/`]
  return prefixTrailingSlash === 'no-slash' || initialConfig.ignoreTrailingSlash ? [extra] : [extra, `${extra}/`]
}

/**
 * Calls the `setup` of a shared plugin, and checks that the routes added there begin with the prefix of the plugin. The context of another
 * plugin does not prepend this prefix.
 * @throws WiringError if a route does not begin with the prefix
 */
export async function requirePrefix(node: PluginNode, instance: Server, setUp: () => Promise<unknown>): Promise<void> {
  const prefix = extraPrefix(node)
  if (prefix === '') return void (await setUp())
  let isInSetup = true
  const outside: string[] = []
  instance.addHook('onRoute', ({ method, url = '' }) => {
    const isBelow = url === node.prefix || url.startsWith(`${node.prefix}/`)
    if (isInSetup && !isBelow) outside.push(`${[method].flat().join(', ')} ${url}`)
  })
  try {
    await setUp()
  } finally {
    isInSetup = false
  }
  if (outside.length > 0) throw new WiringError(node.path, [fault('SETUP_OUTSIDE_PREFIX', node.path, outside[0]!, prefix)])
}

/** The operations with which {@link declarePlugin} declares a plugin class. */
export interface DeclarationHost {
  readonly wiring: Wiring
  /** The `around` hooks of contexts, by the plugin that owns the context. */
  readonly arounds: ReadonlyMap<PluginNode, readonly AroundUse[]>
  instancesOf(node: PluginNode): Instances
  registerFunction(entry: FunctionNode, node: PluginNode, instance: Server): Promise<void> | void
  /** Declares an imported shared plugin class in the importing context. */
  registerShared(node: PluginNode, instance: Server): Promise<void> | void
  /** Declares an imported plugin class in a new context, after the importing plugin. */
  registerChild(node: PluginNode, instance: Server): void
  construct(node: PluginNode): Promise<void> | void
  setUp(node: PluginNode, instance: Server): Promise<void> | void
  createHook(used: UsedHook, path: string, instances: Instances): Method
  /** Returns the function for a hook that is a method of the plugin class. */
  bindOwnHook(hook: PluginNode['hookMethods'][number], node: PluginNode): Method
  addHook(instance: Server, name: ClassHookName, hook: Method): void
  createHandler(route: RouteNode, instances: Instances, arounds: readonly AroundUse[]): RouteHandler<any>
}

/**
 * Declares a plugin class step by step. A step that is yielded may take time: the host must wait for it before it asks for the next step.
 */
export function* declarePlugin(node: PluginNode, instance: Server, host: DeclarationHost): Generator<Promise<void> | void, void> {
  if (node.contextOwner === node) owners.set(instance, node)
  const instances = host.instancesOf(node)
  declareOptions(node, instance, instances)
  // Shared imports are registered first: this plugin's instances and hooks may use what they declare here.
  for (const entry of node.imports) {
    if (!isPluginNode(entry)) yield host.registerFunction(entry, node, instance)
    else if (entry.isShared) yield host.registerShared(entry, instance)
  }
  yield host.construct(node)
  // `around` is part of the handlers.
  for (const used of node.hooks)
    if (used.name !== 'around') host.addHook(instance, used.name, coverBelow(host.createHook(used, node.path, instances)))
  for (const hook of node.hookMethods)
    if (hook.name !== 'around') host.addHook(instance, hook.name, coverBelow(host.bindOwnHook(hook, node)))
  yield host.setUp(node, instance)
  for (const route of node.routes) declareRoute(route, instance, instances, host)
  for (const entry of node.imports) if (isPluginNode(entry) && !entry.isShared) host.registerChild(entry, instance)
}

/** Declares all options of `@Plugin` except hooks, routes, providers and imports. */
function declareOptions(node: PluginNode, instance: Server, instances: Instances): void {
  const { options } = node
  const { docs, deprecated } = options
  addDeclaredReplies(instance, node.path, {
    ...getDeclaredReplies(node.Class),
    ...(docs !== undefined && { docs }),
    ...(deprecated !== undefined && { deprecated }),
  })
  for (const [name, value] of decoratorEntries(options.decorate)) instance.decorate(name, value)
  for (const [name, value] of node.requestDecorators) instance.decorateRequest(name, value)
  for (const [name, value] of decoratorEntries(options.decorateReply)) instance.decorateReply(name, value)
  for (const schema of node.schemas) instance.addSchema(schema)
  for (const { type, parse, ...parserOptions } of options.contentTypeParsers ?? [])
    instance.addContentTypeParser(type, parserOptions, parserOf(parse, instances))
  if (options.schemaController) instance.setSchemaController(options.schemaController)
  if (options.validatorCompiler) instance.setValidatorCompiler(options.validatorCompiler)
  if (options.serializerCompiler) instance.setSerializerCompiler(options.serializerCompiler)
  if (options.schemaErrorFormatter) instance.setSchemaErrorFormatter(schemaErrorFormatterOf(options.schemaErrorFormatter, instances))
  const thrown = [...(options.throws ?? []), ...getThrown(node.hooks.map(({ hook }) => hook))]
  for (const ErrorClass of new Set(thrown)) instance.addErrorClass(ErrorClass)
  if (options.errorFormat) instance.setErrorFormat(options.errorFormat)
  if (options.errorHandler) instance.setErrorHandler(errorHandlerOf(options.errorHandler, instances))
  if (options.notFoundHandler) instance.setNotFoundHandler(notFoundHandlerOf(options.notFoundHandler, instances))
}

/** The plugin class that owns each context of servers and blueprints, by the server instance of the context. */
const owners = new WeakMap<object, PluginNode>()

/** Returns the plugin class that owns a context, or else the nearest context above it. */
export function ownerOfContext(context: Context): PluginNode | undefined {
  return owners.get(context.instance) ?? (context.parent && ownerOfContext(context.parent))
}

const routesByPlace = new WeakMap<RoutePlace, RouteNode>()

/** Returns the class route from which a route of a server or blueprint was made; `undefined` for a programmatic route. */
export function routeOfClass({ options }: DeclaredRoute): RouteNode | undefined {
  return options[kPlace] && routesByPlace.get(options[kPlace])
}

function declareRoute(route: RouteNode, instance: Server, instances: Instances, host: DeclarationHost): void {
  const { status = 200, path: _path, errorHandler, schemaErrorFormatter, ...options } = route.options
  const throws = [...new Set([...(options.throws ?? []), ...getThrown(route.hooks.map(({ hook }) => hook))])]
  const hooks: Partial<Record<ClassHookName, Method[]>> = {}
  for (const used of route.hooks) {
    if (used.name === 'around') continue
    const hook = host.createHook(used, route.path, instances)
    ;(hooks[used.name] ??= []).push(isFirstHook(used.hook, used.name) ? Object.assign(hook, { [kRunsFirst]: true }) : hook)
  }
  const arounds = aroundsOf(route, host.arounds)
  const place: RoutePlace = {
    path: route.path,
    status,
    arounds: arounds.map((use) => ({ name: aroundName(use), from: use.from, replies: getDeclaredReplies(use.hook) })),
    cureOfUnlistedSchema: (id) => cureOfMissingSchema(route, id, host.wiring),
  }
  routesByPlace.set(place, route)
  const handler = host.createHandler(route, instances, arounds)
  // @fastify/websocket hides its routes from documents. A blueprint does not run the plugin, and must say the same.
  const hide = Boolean((options as { websocket?: unknown }).websocket)
  for (const url of relativeUrls(route, instance)) {
    const declared = {
      ...options,
      ...hooks,
      [kPlace]: place,
      method: route.methods.length === 1 ? route.methods[0]! : [...route.methods],
      url,
      config: { ...route.config, route: route.path },
      ...(throws.length > 0 && { throws }),
      // Plugins change the schema that they find at a route. Other routes may have been declared with the same object.
      ...((route.schema || hide) && { schema: { ...route.schema, ...(hide && { hide }) } }),
      ...(errorHandler && { errorHandler: errorHandlerOf(errorHandler, instances) }),
      ...(schemaErrorFormatter && { schemaErrorFormatter: schemaErrorFormatterOf(schemaErrorFormatter, instances) }),
      handler,
    }
    instance.route(declared as RouteOptions<unknown>)
  }
}

/** The characters that a URL does not have, which a reference therefore has in another form than the `$id`. */
const notOfUrl = /[^\w.~!$&'()*+,;=:@/?#%-]/gu

function cureOfMissingSchema({ plugin }: RouteNode, id: string, { isMountedAlone }: Wiring): string {
  const visible = ancestors(plugin.contextOwner).flatMap(({ schemas }) => schemas.map((schema) => (schema as { $id?: unknown }).$id))
  const plain = id.replaceAll(/%[\dA-F]{2}/g, '')
  const unlike = visible.find((own): own is string => typeof own === 'string' && own !== id && own.replaceAll(notOfUrl, '') === plain)
  if (unlike !== undefined)
    return `The $id '${unlike}' has characters that a URL does not have, so no reference leads there: write letters, digits and '-', '.', '_' or '~'`
  const test = isMountedAlone ? ', or of testServer' : ''
  return `No schema '${id}' is visible there: list a schema with $id: '${id}' in schemas of ${plugin.path} or of an ancestor${test}: schemas: [ … ]`
}

/**
 * Returns a copy of a plugin function, or of the module that exports it, that declares in the context where it is registered. The original
 * is not changed.
 */
function sharedCopy(plugin: unknown): PluginFunction {
  // `register` takes modules and promises of them too.
  if (isPromiseLike(plugin)) return plugin.then(sharedCopy) as unknown as PluginFunction
  if (typeof plugin !== 'function') return { default: sharedCopy((plugin as { default: unknown }).default) } as unknown as PluginFunction // see above
  const copy: unknown = Object.defineProperties(plugin.bind(undefined), Object.getOwnPropertyDescriptors(plugin))
  return shareWithParent(copy as PluginFunction)
}

/**
 * Registers a plugin function with the prefix and the declared replies of its import.
 * @throws WiringError if a shared plugin function does not add the request decorators that `use` names
 */
export async function registerFunction(
  { plugin, decorates, replies, isShared, isSharedByImport }: FunctionNode,
  options: unknown,
  node: PluginNode,
  instance: Server,
): Promise<void> {
  const pluginOptions = (options ?? {}) as { prefix?: string }
  const prefix = joinPaths(extraPrefix(node), pluginOptions.prefix ?? '')
  const isDescribed = Object.keys(replies).length > 0
  const registerOptions = prefix === '' && !isDescribed ? pluginOptions : { ...pluginOptions, ...(prefix !== '' && { prefix }) }
  if (isDescribed) setDeclaredReplies(registerOptions, replies)
  await instance.register(isSharedByImport ? sharedCopy(plugin) : plugin, registerOptions)
  if (!isShared) return
  const missing = decorates.filter((name) => !instance.hasRequestDecorator(name))
  if (missing.length > 0)
    throw new WiringError(
      node.path,
      missing.map((name) => fault('DECORATES_UNTRUE', name, node.path)),
    )
}
