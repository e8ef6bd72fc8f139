/** Finds faults of the hooks of plugins and routes: unknown names, classes without the method, functions that never end or never run. */
import { type HookName, hookNames } from '../../../lib/index.js'
import { isAsyncWithDone, lifecycleHookNames } from '../../../lib/internal.js'
import type { Class } from '../../declare/metadata.js'
import type { PluginOptions } from '../../declare/plugin.js'
import { type ClassHookName, classHookNames, getMisplacedHooks, problemOfRoute } from '../../declare/hook.js'
import { type Fault, fault } from '../faults.js'
import { describeValue, isClass, nameOf } from '../value-names.js'
import { calledClassesIn } from '../constructed-classes.js'
import { isPluginNode, type PluginNode, type RouteNode } from '../nodes.js'
import { lifecycleMethods, type ProviderRecord, type Wiring } from '../provider-record.js'
import { isFindable } from './decorators.js'

export function findHookFaults(plugins: readonly PluginNode[]): Fault[] {
  const found: Fault[] = []
  for (const plugin of plugins) {
    checkPlugin(plugin, found)
    for (const route of plugin.routes) checkListedHooks(route, found)
  }
  return found
}

function checkPlugin({ Class, hookMethods, hooks, options, path }: PluginNode, found: Fault[]): void {
  for (const { name, member } of hookMethods) {
    checkName(name, path, found)
    checkFunction(Class.prototype[member], name, `${path}.${String(member)}`, found)
  }
  for (const { name } of getMisplacedHooks(Class)) found.push(fault('HOOK_NOT_A_METHOD', name, path))
  for (const name of Object.keys(options.hooks ?? {})) checkName(name as ClassHookName, path, found)
  for (const { name, hook } of hooks) {
    // alcove calls these methods of each instance, and would call them as a hook too.
    if (isClass(hook) && lifecycleMethods.has(name))
      found.push(
        fault('ENTRY_INVALID', path, `hooks.${name}`, nameOf(hook), `List the class in providers: alcove calls its method ${name}.`),
      )
    else checkHook(hook, name, path, found)
  }
}

function checkListedHooks({ listedHooks, path, schema }: RouteNode, found: Fault[]): void {
  for (const hook of new Set(listedHooks.map((listed) => listed.hook))) {
    const problem = problemOfRoute(hook, schema)
    if (problem !== undefined) found.push(fault('HOOK_UNFIT', path, ...problem))
  }
  for (const listed of listedHooks) {
    const { name, hook } = listed
    if (hook === undefined) {
      if ('hook' in listed) found.push(fault('DECORATOR_UNDEFINED', path, `@Hook('${String(name)}', …)`))
      else if (typeof name === 'string') found.push(fault('HOOK_WITHOUT_FUNCTION', name, path))
      else found.push(fault('UNKNOWN_HOOK', describeValue(name), path, classHookNames))
      continue
    }
    checkName(name, path, found)
    if (isHookName(name) && !isOfRequests(name)) found.push(fault('HOOK_OF_APPLICATION', name, path))
    checkHook(hook, name, path, found)
  }
}

/** The options of `@Plugin` that affect only requests, or only routes in or below the context. */
const optionsOfRequests = [
  'errorHandler',
  'schemaErrorFormatter',
  'contentTypeParsers',
  'decorateRequest',
  'decorateReply',
  'schemas',
  'throws',
  'validatorCompiler',
  'serializerCompiler',
  'schemaController',
] as const

/** Returns a fault for each context with hooks or handlers for requests that no request can reach. */
export function findIdleContexts(plugins: readonly PluginNode[]): Fault[] {
  const shared = plugins.filter(({ isShared }) => isShared)
  return plugins.flatMap((plugin) => {
    const { parent, isShared, path } = plugin
    if (parent === undefined || isShared) return []
    const ofShared = shared
      .filter(({ contextOwner, options }) => contextOwner === plugin && !servesMoreThanRequests(options))
      .flatMap((each) => partsOfRequests(each).map((part) => `${part} (of ${nameOf(each.Class)})`))
    const idle = [...partsOfRequests(plugin), ...ofShared]
    return idle.length === 0 || mayAnswer(plugin) ? [] : fault('CONTEXT_WITHOUT_ROUTES', path, idle, parent.path, nameOf(plugin.Class))
  })
}

/** Returns the names of the hooks and options of a plugin that affect only requests. */
function partsOfRequests({ hooks, hookMethods, options }: PluginNode): string[] {
  const names = [...hooks, ...hookMethods].map(({ name }) => name).filter(isOfRequests)
  return [...new Set<string>(names), ...optionsOfRequests.filter((option) => options[option] != null)]
}

/** Whether a context may import a shared plugin for something else than its hooks and handlers of requests. */
function servesMoreThanRequests({ providers, decorate, jobs }: PluginOptions): boolean {
  return providers != null || decorate != null || jobs != null
}

/**
 * Whether requests may reach the context of a plugin: the plugin or one below has routes, a not-found handler, or code that may add routes
 * (a plugin function or `setup`).
 */
function mayAnswer({ Class, routes, options, imports }: PluginNode): boolean {
  if (routes.length > 0 || options.notFoundHandler != null || typeof Class.prototype.setup === 'function') return true
  return imports.some((entry) => !isPluginNode(entry) || mayAnswer(entry))
}

/** Returns a fault for each hook class that is listed as a provider, but neither runs as a hook nor is injected. */
export function findIdleHookClasses(plugins: readonly PluginNode[], wiring: Wiring): Fault[] {
  const provided: { record: ProviderRecord; hook: string }[] = []
  for (const records of [...wiring.providers.values(), ...wiring.privateProviders.values()])
    for (const record of records.values()) {
      const hook = record.kind === 'class' ? hookOf(record.source as Class) : undefined
      if (hook !== undefined) provided.push({ record, hook })
    }
  // Most applications have none, and then nothing else is looked at.
  if (provided.length === 0) return []
  const listed = new Set<unknown>(plugins.flatMap((plugin) => [...calledClassesIn(plugin), ...plugin.routes.map((route) => route.Class)]))
  const injected = new Set(
    recordsOf(wiring).flatMap(({ dependencies }) => dependencies.flatMap((entry) => ('provider' in entry ? entry.provider : []))),
  )
  return provided
    .filter(({ record }) => !injected.has(record) && !listed.has(record.token) && !listed.has(record.source) && !isFindable(record))
    .map(({ record, hook }) => fault('HOOK_CLASS_IDLE', nameOf(record.source), hook, record.plugin.path))
}

/** Returns all provider records of an application. */
function recordsOf({ providers, privateProviders, plugins, constructedClasses, importOptions }: Wiring): ProviderRecord[] {
  const listed = [...providers.values(), ...privateProviders.values(), ...constructedClasses.values()].flatMap((records) => [
    ...records.values(),
  ])
  return [...listed, ...plugins.values(), ...importOptions.values()]
}

/** Returns the name of a request hook that a class has as a method; `undefined` if it has no such method. */
function hookOf(HookClass: Class): string | undefined {
  // `Reflect.has` and `Reflect.get` do not look names up by the shape of the class, of which an application may have thousands.
  const prototype = Reflect.get(HookClass, 'prototype') as object | undefined
  if (prototype === undefined) return undefined
  for (const name of namesOfHooks) if (Reflect.has(prototype, name) && typeof Reflect.get(prototype, name) === 'function') return name
  return undefined
}

/** Checks a hook, which must be a function, or a class with a method of the hook's name. */
function checkHook(hook: unknown, name: ClassHookName, place: string, found: Fault[]): void {
  if (!isClass(hook)) return checkFunction(hook, name, place, found, nameOf(hook))
  const method: unknown = hook.prototype[name]
  if (typeof method !== 'function') found.push(fault('HOOK_CLASS_WITHOUT_METHOD', nameOf(hook), name, place))
  else checkFunction(method, name, place, found, `${nameOf(hook)}.${name}`)
}

/**
 * Adds a fault for an async hook function that takes `done`, and for a generator: nothing asks for its items, so a guard would let everybody in.
 * @param own the name of the hook in the fault, unless `place` contains it already: `RolesGuard.preHandler`
 */
function checkFunction(hook: unknown, name: ClassHookName, place: string, found: Fault[], own?: string): void {
  if (isHookName(name) && typeof hook === 'function' && isAsyncWithDone(name, hook as () => unknown))
    found.push(fault('HOOK_ASYNC_WITH_DONE', name, place, own))
  if (typeof hook === 'function' && generators.includes(hook.constructor.name)) found.push(fault('HOOK_GENERATOR', name, place, own))
}

function checkName(name: ClassHookName, place: string, found: Fault[]): void {
  if (!classHookNames.includes(name)) found.push(fault('UNKNOWN_HOOK', name, place, classHookNames))
}

/** The classes of generator functions, which have no global names. */
const generators = ['GeneratorFunction', 'AsyncGeneratorFunction']

/** The request hooks whose names are hardly ever used for other methods. */
const namesOfHooks = [...lifecycleHookNames.filter((name) => name !== 'onError' && name !== 'onTimeout'), 'around']

function isOfRequests(name: ClassHookName): boolean {
  return name === 'around' || (lifecycleHookNames as readonly string[]).includes(name)
}

function isHookName(name: ClassHookName): name is HookName {
  return (hookNames as readonly string[]).includes(name)
}
