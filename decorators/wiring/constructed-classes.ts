/**
 * The classes of a plugin that are constructed in addition to its providers: routes, jobs, hooks, error handlers, not-found handlers,
 * formatters and parsers.
 */
import { getProviderScope } from '../declare/injectable.js'
import { type HandlerOption, handlerMethods } from '../declare/handler-class.js'
import type { Class } from '../declare/metadata.js'
import { getControllerOptions } from '../declare/route.js'
import type { Token } from '../declare/tokens.js'
import { type Fault, fault } from './faults.js'
import type { NamedHandler, Overrides, PluginNode, RouteNode } from './nodes.js'
import { describeValue, isClass, nameOf } from './value-names.js'
import { createClassRecord, createRecord, type ProviderRecord } from './provider-record.js'

const handlerOptionsOfPlugins = ['errorHandler', 'notFoundHandler', 'schemaErrorFormatter'] as const
const handlerOptionsOfRoutes = ['errorHandler', 'schemaErrorFormatter'] as const

/** Fills in `handlers` of a plugin with the handlers, formatters and parsers in the options of the plugin and its routes. */
export function addHandlers({ options, path, routes, handlers }: PluginNode): void {
  for (const option of handlerOptionsOfPlugins) if (option in options) handlers.push({ option, handler: options[option], place: path })
  addParsers(options.contentTypeParsers, path, handlers)
  for (const route of routes) {
    for (const option of handlerOptionsOfRoutes)
      if (option in route.options) handlers.push({ option, handler: route.options[option], place: optionPlace(option, route) })
  }
}

/** Adds the body parsers of a plugin to `handlers`. Entries that are not objects are skipped, because they are reported elsewhere. */
function addParsers(entries: unknown, place: string, handlers: NamedHandler[]): void {
  if (!Array.isArray(entries)) return
  for (const entry of entries as unknown[])
    if (entry !== null && typeof entry === 'object')
      handlers.push({ option: 'contentTypeParsers', handler: (entry as { parse?: unknown }).parse, place })
}

/** Returns the place of an option of a route for faults: the controller if the controller declares the option, otherwise the route. */
function optionPlace(option: (typeof handlerOptionsOfRoutes)[number], { Class: RouteClass, options, path, plugin }: RouteNode): string {
  return getControllerOptions(RouteClass)[option] === options[option] ? `${plugin.path} > ${nameOf(RouteClass)}` : path
}

/** Returns the name of the method that is called if the option is a class. */
function methodNameOf(option: HandlerOption): string {
  return handlerMethods[option].replace(/\(.*/, '')
}

/** Returns the faults of handler options that are neither a function nor a class with the method, and of asynchronous formatters. */
export function findInvalidHandlers({ handlers }: PluginNode): Fault[] {
  return handlers.flatMap(({ option, handler, place }) => {
    const signature = handlerMethods[option]
    if (typeof handler !== 'function')
      return fault('HANDLER_INVALID', place, option, describeValue(handler), option === 'contentTypeParsers' ? 'parse' : option, signature)
    if (!isClass(handler)) return []
    const method: unknown = handler.prototype[methodNameOf(option)]
    if (typeof method !== 'function') return fault('HANDLER_CLASS_WITHOUT_METHOD', nameOf(handler), option, signature, place)
    const isAsync = option === 'schemaErrorFormatter' && method.constructor.name === 'AsyncFunction'
    return isAsync ? fault('FORMATTER_INVALID', nameOf(handler), place, 'its method is asynchronous') : []
  })
}

/** A class of a plugin, and the method that the framework calls on its instances. */
interface CalledClass {
  readonly Class: Class
  readonly method: string
  readonly place: string
}

function calledClasses(plugin: PluginNode): CalledClass[] {
  const called: CalledClass[] = []
  for (const { path, hooks } of [plugin, ...plugin.routes])
    for (const { name, hook } of hooks) if (isClass(hook)) called.push({ Class: hook, method: name, place: path })
  return [...called, ...handlerClassesOf(plugin)]
}

function handlerClassesOf({ handlers }: PluginNode): (CalledClass & NamedHandler)[] {
  return handlers.flatMap((handler) =>
    isClass(handler.handler) ? { ...handler, Class: handler.handler, method: methodNameOf(handler.option) } : [],
  )
}

/** Returns the hook classes and handler classes of a plugin. */
export function calledClassesIn(plugin: PluginNode): Class[] {
  return calledClasses(plugin).map((called) => called.Class)
}

/**
 * Calls `visit` with each entry of a plugin's lists that may be a class: routes, jobs, hooks, handlers, providers (the class in `useClass`)
 * and shared schemas. Some entries are not classes.
 */
export function visitListed(
  plugin: PluginNode,
  visit: (entry: unknown, role: 'route' | 'job' | 'hook' | 'handler class' | 'provider' | 'shared schema') => void,
): void {
  const { options } = plugin
  for (const entry of options.routes ?? []) visit(entry, 'route')
  for (const entry of options.jobs ?? []) visit(entry, 'job')
  for (const { hooks } of [plugin, ...plugin.routes]) for (const { hook } of hooks) if (isClass(hook)) visit(hook, 'hook')
  for (const handler of handlerClassesOf(plugin)) visit(handler.Class, 'handler class')
  for (const provider of options.providers ?? [])
    visit(provider !== null && typeof provider === 'object' && 'useClass' in provider ? provider.useClass : provider, 'provider')
  for (const schema of options.schemas ?? []) visit(schema, 'shared schema')
}

/** A function that returns the provider of a token that a plugin sees; `undefined` if there is none. */
type FindProvider = (plugin: PluginNode, token: Token<any>) => ProviderRecord | undefined

/** Creates the provider records of the classes that a plugin constructs in addition to its providers, by class. */
export function readConstructedClasses(
  plugin: PluginNode,
  overrides: Overrides,
  findProvider: FindProvider,
  found: Fault[],
): Map<Class, ProviderRecord> {
  const constructedClasses = new Map<Class, ProviderRecord>()
  // A transient class has one instance for its context: its use as a route or hook counts as one injection.
  const ownRecord = (Class: Class, scopedAs = Class): ProviderRecord =>
    createClassRecord(Class, plugin, getProviderScope(scopedAs) === 'request' ? 'request' : 'context', found)
  // If a visible plugin provides the class, its use here and the classes that inject it share that provider's instance.
  const providedRecord = (Class: Class): ProviderRecord | undefined => {
    const provider = findProvider(plugin, Class)
    return provider?.scope === 'transient' ? undefined : provider
  }
  const calledRecord = (Called: Class): ProviderRecord => {
    const provider = providedRecord(Called)
    if (provider !== undefined) return provider
    const override = overrides.get(Called)
    if (override === undefined) return ownRecord(Called)
    const { substitute } = override
    // A substitute keeps the scope of the class that it replaces.
    return isClass(substitute) ? ownRecord(substitute, Called) : createRecord(plugin, { kind: 'value', token: Called, source: substitute })
  }
  const checkMethod = (record: ProviderRecord, Called: Class, place: string, method: string | symbol): void => {
    if (!mayHaveMethod(record, Called, method))
      found.push(fault('SUBSTITUTE_WITHOUT_METHOD', describeValue(record.source), nameOf(Called), place, String(method)))
  }
  const jobs = plugin.jobs.map(({ Class, path }) => ({ Class, path, member: 'run' }))
  for (const { Class, path, member } of [...plugin.routes, ...jobs]) {
    const record = constructedClasses.get(Class) ?? providedRecord(Class) ?? ownRecord(Class)
    constructedClasses.set(Class, record)
    checkMethod(record, Class, path, member)
  }
  for (const { Class: Called, method, place } of calledClasses(plugin)) {
    const record = constructedClasses.get(Called) ?? calledRecord(Called)
    constructedClasses.set(Called, record)
    checkMethod(record, Called, place, method)
  }
  return constructedClasses
}

/**
 * Whether the instance of a provider record may have a method, as far as this is known before the instance is constructed. Returns `true`
 * for a class that no test replaces, because the class was checked before.
 */
function mayHaveMethod({ kind, source }: ProviderRecord, Called: Class, method: string | symbol): boolean {
  if (source === Called || (kind !== 'class' && kind !== 'value')) return true
  return typeof (kind === 'class' ? source.prototype : source)?.[method] === 'function'
}

/**
 * Returns the faults of formatter classes with an instance for each request: a formatter gets no request, so no instance could be found.
 */
export function findScopedFormatters(plugin: PluginNode, constructedClasses: ReadonlyMap<Class, ProviderRecord>): Fault[] {
  return handlerClassesOf(plugin)
    .filter((handler) => handler.option === 'schemaErrorFormatter' && constructedClasses.get(handler.Class)!.isRequestBound)
    .map(({ Class: Formatter, place }) =>
      fault('FORMATTER_INVALID', nameOf(Formatter), place, 'each request would have its own, and a formatter gets no request'),
    )
}
