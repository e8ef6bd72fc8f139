/** Makes the lock of an application from its classes. Nothing is constructed. */
import type { JsonSchema, ResponseDescription, RouteDescription } from '../../lib/index.js'
import { inspect, isStandardSchema, tryToConvert } from '../../lib/internal.js'
import { type ReadApplication, readApplication, withoutSlashTwins } from '../contract/describe.js'
import type { Class } from '../declare/metadata.js'
import { tokenName } from '../declare/tokens.js'
import type { BootstrapOptions } from '../run/bootstrap-options.js'
import { routeOfClass } from '../run/declare-in-context.js'
import { hasSetup, pluginFunctionName } from '../run/blueprint.js'
import { eventOptionsOf } from '../jobs/event.js'
import { queueOptionsOf } from '../jobs/queue.js'
import { allPlugins, contextPathOf, isPluginNode, type PluginNode, type RouteNode, timeOfJob } from '../wiring/nodes.js'
import { nameOf } from '../wiring/value-names.js'
import { lifetimeOf, type ProviderRecord, type Wiring } from '../wiring/provider-record.js'
import { Digests } from './digest.js'
import type { Lock, LockedHook, LockedJob, LockedNeed, LockedPlugin, LockedProvider, LockedRoute } from './lock-types.js'

/**
 * Makes the lock of an application.
 * @param options the options that `bootstrap` gets
 * @throws the errors of `describe`, such as WiringError with all faults
 */
export function makeLock(App: Class, options: BootstrapOptions = {}): Lock {
  const application = readApplication(App, options)
  const { root } = application
  const routes = lockRoutes(application)
  const plugins = allPlugins(root).map((plugin) => lockPlugin(plugin, application, routes.get(plugin) ?? []))
  return { plugins: inOrder(plugins, ({ path, prefix }) => `${path}\n${prefix}`) }
}

/** Sorts entries by their keys, in an order that does not depend on the language or the version of Node. */
function inOrder<T>(entries: readonly T[], keyOf: (entry: T) => string): T[] {
  return entries.toSorted((one, other) => {
    const [key, otherKey] = [keyOf(one), keyOf(other)]
    return key === otherKey ? 0 : key < otherKey ? -1 : 1
  })
}

function lockPlugin(plugin: PluginNode, application: ReadApplication, routes: readonly LockedRoute[]): LockedPlugin {
  const { wiring } = application
  const { path, prefix, isShared, options, imports } = plugin
  const functions = imports.flatMap((entry) => (isPluginNode(entry) ? [] : pluginFunctionName(entry.plugin)))
  const { notFoundHandler } = options
  return {
    path,
    prefix,
    isShared,
    gives: lockProviders(plugin, wiring),
    needs: lockNeeds(plugin, wiring),
    runs: [...(hasSetup(plugin) ? ['setup'] : []), ...inOrder(functions, (name) => name)],
    jobs: lockJobs(plugin, application),
    ...(notFoundHandler != null && { notFound: notFoundHandler.name || 'anonymous' }),
    routes,
  }
}

function lockJobs(plugin: PluginNode, { wiring, description }: ReadApplication): LockedJob[] {
  const jobs = plugin.jobs.map((job): LockedJob => {
    const { kind, text } = timeOfJob(job)
    const { isRequestBound } = wiring.constructedClasses.get(plugin)!.get(job.Class)!
    const facts = { name: nameOf(job.Class), lifetime: isRequestBound ? 'request' : 'context', kind, when: text } as const
    if (kind !== 'queue' && kind !== 'event') return facts
    const input = job.event === undefined ? queueOptionsOf(job.queue)!.input : eventOptionsOf(job.event.on).payload
    const shared = description.schemas[contextPathOf(plugin.contextOwner)] ?? {}
    const json = (isStandardSchema(input) ? tryToConvert(input) : input) as JsonSchema | undefined
    return { ...facts, input: json === undefined ? 'opaque' : new Digests(shared).of({ input: json }) }
  })
  return inOrder(jobs, ({ name, kind, when }) => `${name}\n${kind}\n${when}`)
}

function lockProviders(plugin: PluginNode, { providers, privateProviders }: Wiring): LockedProvider[] {
  const lock = (record: ProviderRecord, isPrivate: boolean): LockedProvider => ({
    name: tokenName(record.token),
    lifetime: lifetimeOf(record),
    isPrivate,
  })
  const visible = [...providers.get(plugin.contextOwner)!.values()].filter((record) => record.plugin === plugin)
  const hidden = [...(privateProviders.get(plugin)?.values() ?? [])]
  const all = [...visible.map((record) => lock(record, false)), ...hidden.map((record) => lock(record, true))]
  return inOrder(all, ({ name, lifetime, isPrivate }) => `${name}\n${lifetime}\n${isPrivate}`)
}

/** Returns the providers of other plugins on which the classes and factories of a plugin depend, each once. */
function lockNeeds(plugin: PluginNode, wiring: Wiring): LockedNeed[] {
  const needs = new Map<string, LockedNeed>()
  for (const { dependencies } of recordsOf(plugin, wiring)) {
    for (const dependency of dependencies) {
      if ('builtIn' in dependency) continue
      const provider = 'provider' in dependency ? dependency.provider : undefined
      if (provider?.plugin === plugin) continue
      const name = tokenName(dependency.token)
      const from = provider && { lifetime: lifetimeOf(provider), from: provider.plugin.path }
      needs.set(JSON.stringify([name, from]), { name, provider: from })
    }
  }
  return inOrder([...needs], ([key]) => key).map(([, need]) => need)
}

/** Returns the provider records of all classes, factories and computed options of a plugin. */
function recordsOf(
  plugin: PluginNode,
  { providers, privateProviders, plugins, constructedClasses, importOptions }: Wiring,
): ProviderRecord[] {
  const listed = [providers.get(plugin.contextOwner), privateProviders.get(plugin), constructedClasses.get(plugin)]
  const options = plugin.imports.flatMap((entry) => importOptions.get(entry) ?? [])
  const records = listed.flatMap((found) => [...(found?.values() ?? [])])
  return [...records, plugins.get(plugin)!, ...options].filter((record) => record.plugin === plugin)
}

function lockRoutes({ wiring, facts, description }: ReadApplication): Map<PluginNode, LockedRoute[]> {
  const digests = new Map(Object.entries(description.schemas).map(([context, shared]) => [context, new Digests(shared)]))
  const shown = new Set(withoutSlashTwins(description.routes))
  const found = new Map<PluginNode, LockedRoute[]>()
  for (const [index, route] of description.routes.entries()) {
    const node = routeOfClass(facts.routes[index]!.declared)
    if (node === undefined || route.isAutomatic || !shown.has(route)) continue
    found.set(node.plugin, [...(found.get(node.plugin) ?? []), lockRoute(route, node, wiring, digests.get(route.context)!)])
  }
  for (const [plugin, routes] of found)
    found.set(
      plugin,
      inOrder(routes, ({ url, methods, constraints }) => `${url}\n${methods.join(' ')}\n${JSON.stringify(constraints)}`),
    )
  return found
}

function lockRoute(route: RouteDescription, { Class, plugin, path }: RouteNode, wiring: Wiring, digests: Digests): LockedRoute {
  const { methods, url, security, limits, deprecated, deprecation = true } = route
  return {
    methods: inOrder(methods, (method) => method),
    url,
    constraints: lockConstraints(route),
    handler: path.slice(`${plugin.path} > `.length),
    lifetime: wiring.constructedClasses.get(plugin)!.get(Class)!.isRequestBound ? 'request' : 'context',
    ...(deprecated && { deprecated: deprecation }),
    hooks: route.hooks.map(lockHook),
    security,
    input: lockInput(route, digests),
    replies: lockReplies(route, digests),
    limits: { ...limits },
  }
}

/** Returns a hook for the lock. The name of a class hook is shortened to the class, because `hook` contains the method. */
function lockHook({ hook, name, from }: RouteDescription['hooks'][number]): LockedHook {
  const method = `.${hook}`
  return { hook, name: name.endsWith(method) ? name.slice(0, -method.length) : name, from }
}

function lockConstraints({ constraints = {} }: RouteDescription): Record<string, string> {
  const texts = Object.entries(constraints).map(([name, value]) => [name, typeof value === 'string' ? value : inspect(value)] as const)
  return Object.fromEntries(inOrder(texts, ([name]) => name))
}

const parts = ['params', 'querystring', 'headers', 'cookies', 'body'] as const

function lockInput({ input, opaqueParts = [] }: RouteDescription, digests: Digests): Record<string, string> {
  return Object.fromEntries(
    parts.flatMap((part) => {
      const schemas = part === 'body' ? input.body : input[part] === undefined ? undefined : { [part]: input[part] }
      if (schemas === undefined) return []
      return [[part, opaqueParts.includes(part) ? 'opaque' : digests.of(schemas)]]
    }),
  )
}

function lockReplies({ responses }: RouteDescription, digests: Digests): Record<string, string> {
  const declared = Object.entries(responses).filter(([, { from }]) => from.some((place) => place !== 'alcove'))
  const locked = declared.map(
    ([status, response]) => [status, response.isUnknown === true ? 'undeclared' : digestOfReply(response, digests)] as const,
  )
  return Object.fromEntries(inOrder(locked, ([status]) => status))
}

function digestOfReply({ content, headers = {}, itemSchema }: ResponseDescription, digests: Digests): string {
  const named = (kind: string, schemas: typeof content): (readonly [string, (typeof content)[string]])[] =>
    Object.entries(schemas).map(([name, schema]) => [`${kind} ${name}`, schema])
  const item = itemSchema === undefined ? [] : [['item', itemSchema] as const]
  const schemas = [...named('content', content), ...named('header', headers), ...item]
  return schemas.length === 0 ? 'empty' : digests.of(Object.fromEntries(schemas))
}
