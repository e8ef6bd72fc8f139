/** Checks the routes and the wiring of an application against its access rules. */
import type { RouteDescription, SecurityRequirement } from '../../../lib/index.js'
import type { AccessRule, RouteChoice, RouteSelection } from '../../declare/access/rule.js'
import { guardHookNames } from '../../declare/hook.js'
import { getPluginOptions } from '../../declare/plugin.js'
import { type Token, tokenKey, tokenName } from '../../declare/tokens.js'
import { type Fault, fault } from '../faults.js'
import { nameOf } from '../value-names.js'
import { allPlugins, ancestors, type PluginNode } from '../nodes.js'
import type { ProviderRecord, Wiring } from '../provider-record.js'
import { howToShare } from '../sharing.js'
import { matcherOf } from './patterns.js'
import { textOfChoice, textOfRule } from './rule-text.js'

/** A route with the facts that access rules check. */
export interface JudgedRoute {
  /** The plugin that declares the route, or, for a programmatic route, the plugin in whose context the route was added. */
  readonly plugin: PluginNode
  /** The class of the route; `undefined` for a programmatic route. */
  readonly Class: unknown
  /** The path of the route: `App > Api > Users.find`. */
  readonly place: string
  readonly methods: readonly string[]
  readonly url: string
  /** The hooks that run before the handler, in their order: the classes and functions as the application lists them. */
  readonly hooks: readonly unknown[]
  /** The security requirements that guards declare for the route, without the requirements in its schema. Empty if there are none. */
  readonly security: readonly SecurityRequirement[]
  /** Returns the description of the route. */
  readonly describe: () => RouteDescription
}

/** An access rule, and the plugin for whose routes the rule holds. */
export interface PlacedRule {
  readonly rule: AccessRule
  readonly plugin: PluginNode
  /** The place of the rule, for messages: `App > Admin`, `access(App)`. */
  readonly where: string
}

/** An application that access rules are checked against. */
export interface JudgedApplication {
  readonly root: PluginNode
  readonly wiring: Wiring
  readonly routes: readonly JudgedRoute[]
  /** Returns the places in and below a plugin (plugin functions and `setup` methods) that may add routes which `routes` lacks. */
  readonly unknownIn: (plugin: PluginNode) => readonly string[]
  /** Whether a rule's pattern that matches no known route is a fault even if such a route may be added later. */
  readonly isStrict: boolean
}

/** Returns the access rules in the options of all plugins, with their plugins. */
export function rulesOf(root: PluginNode): PlacedRule[] {
  return allPlugins(root).flatMap((plugin) => (plugin.options.access ?? []).map((rule) => ({ rule, plugin, where: plugin.path })))
}

/** Checks an application against access rules. Returns the faults. */
export function judge(application: JudgedApplication, rules: readonly PlacedRule[]): Fault[] {
  return rules.flatMap((placed) => new Judgement(application, placed).faults())
}

class Judgement {
  readonly #application: JudgedApplication
  readonly #plugin: PluginNode
  readonly #rule: AccessRule
  /** The text of the access rule and its place, for messages. */
  readonly #by: string

  constructor(application: JudgedApplication, { rule, plugin, where }: PlacedRule) {
    this.#application = application
    this.#plugin = plugin
    this.#rule = rule
    this.#by = `the access rule ${textOfRule(rule)} of ${where}`
  }

  faults(): Fault[] {
    const { demand } = this.#rule
    if (demand.of === 'providers') return this.#judgeProviders(demand.hidden)
    if (demand.of === 'public') return this.#judgePublic(demand.exactly)
    const { routes, faults } = this.#select(demand.routes)
    if (demand.of === 'hooks' && demand.hooks.length === 0) return this.#idle('no hook', false)
    const judged =
      demand.of === 'hooks'
        ? routes.map((route) => this.#judgeHooks(route, demand.hooks))
        : routes.map((route) => this.#judgeRoute(route, demand.judge))
    return [...faults, ...judged.flat()]
  }

  /** Returns the routes that the rule holds for: the routes of its plugin and of the plugins below. */
  #covered(): JudgedRoute[] {
    return this.#application.routes.filter(({ plugin }) => ancestors(plugin).includes(this.#plugin))
  }

  #select({ chosen, except }: RouteSelection): { routes: JudgedRoute[]; faults: Fault[] } {
    const covered = this.#covered()
    const found = this.#choose(covered, chosen, 'no route')
    const left = this.#choose(found.routes, except, 'none of its routes')
    const isLeft = new Set(left.routes)
    const routes = found.routes.filter((route) => !isLeft.has(route))
    const faults = [...found.faults, ...left.faults]
    return { routes, faults: routes.length > 0 || faults.length > 0 ? faults : this.#idle('no route') }
  }

  /** Returns the routes that match one of the choices (patterns, classes or plugins), and a fault for each choice that matches no route. */
  #choose(routes: readonly JudgedRoute[], choices: readonly RouteChoice[], none: string): { routes: JudgedRoute[]; faults: Fault[] } {
    const chosen = new Set<JudgedRoute>()
    const faults = choices.flatMap((choice) => {
      const isChosen = this.#matcherOf(choice)
      const found = routes.filter(isChosen)
      for (const route of found) chosen.add(route)
      return found.length === 0 ? this.#idle(`${textOfChoice(choice)}, which matches ${none}`) : []
    })
    return { routes: routes.filter((route) => chosen.has(route)), faults }
  }

  #matcherOf(choice: RouteChoice): (route: JudgedRoute) => boolean {
    if (typeof choice === 'string') {
      const matches = matcherOf(choice)
      return ({ methods, url }) => matches({ methods, path: this.#relative(url) })
    }
    if (getPluginOptions(choice) !== undefined) return ({ plugin }) => ancestors(plugin).some(({ Class }) => Class === choice)
    return ({ Class }) => Class === choice
  }

  /**
   * Returns the path of a route below the prefix of the rule's plugin. For rules of the application, this is the path that clients send.
   */
  #relative(url: string): string {
    const { parent, prefix } = this.#plugin
    const isBelow = parent !== undefined && (url === prefix || url.startsWith(`${prefix}/`))
    return isBelow ? url.slice(prefix.length) || '/' : url
  }

  #idle(what: string, mayBeUnknown = true): Fault[] {
    const { unknownIn, isStrict } = this.#application
    const unknown = mayBeUnknown ? unknownIn(this.#plugin) : []
    return unknown.length > 0 && !isStrict ? [] : [fault('ACCESS_RULE_IDLE', this.#plugin.path, what, this.#by, unknown)]
  }

  #judgeHooks(route: JudgedRoute, demanded: readonly unknown[]): Fault[] {
    const { plugin, hooks } = route
    const named = namedOf(route)
    const missing = demanded.filter((hook) => !hooks.includes(hook))
    if (missing.length > 0)
      return missing.map((hook) => {
        const elsewhere = allPlugins(this.#application.root).filter((other) => other.hooks.some((used) => used.hook === hook))
        const missed = { name: nameOf(hook), stage: stageOf(hook) }
        return fault(
          'ACCESS_HOOK_MISSING',
          named,
          missed,
          this.#by,
          plugin.path,
          elsewhere.map(({ path }) => path),
          howToShare(plugin, elsewhere),
        )
      })
    let from = 0
    for (const [index, hook] of demanded.entries()) {
      const at = hooks.indexOf(hook, from)
      if (at === -1) return [fault('ACCESS_HOOKS_UNORDERED', named, nameOf(hook), nameOf(demanded[index - 1]), this.#by)]
      from = at + 1
    }
    return []
  }

  #judgeRoute(route: JudgedRoute, holds: (route: RouteDescription) => unknown): Fault[] {
    const result = holds(route.describe())
    if (result === true) return []
    const problem = typeof result === 'string' ? result : `its function returned ${result === undefined ? 'nothing' : nameOf(result)}`
    return [fault('ACCESS_ROUTE_REFUSED', namedOf(route), problem, this.#by)]
  }

  #judgePublic(exactly: readonly RouteChoice[]): Fault[] {
    const covered = this.#covered()
    const { routes: listed, faults } = this.#choose(covered, exactly, 'no route')
    const judged = covered.flatMap((route): Fault[] => {
      const isPublic = route.security.length === 0
      if (isPublic === listed.includes(route)) return []
      const named = namedOf(route)
      if (isPublic) return [fault('ACCESS_PUBLIC_UNLISTED', named, `${route.methods[0]} ${this.#relative(route.url)}`, this.#by)]
      const requires = route.security.map((schemes) => Object.keys(schemes).join(' and ')).join(' or ')
      return [fault('ACCESS_PUBLIC_GUARDED', named, requires, this.#by)]
    })
    return [...faults, ...judged]
  }

  #judgeProviders(hidden: readonly Token<any>[]): Fault[] {
    const { wiring } = this.#application
    if (hidden.length === 0) return this.#idle('no provider', false)
    return hidden.flatMap((token) => {
      const records = recordsOf(token, wiring)
      if (records.length === 0) return this.#idle(`${tokenName(token)}, which no plugin provides`, false)
      return allPlugins(this.#plugin).flatMap((plugin) => {
        const seen = findSeen(plugin, token, records, wiring)
        if (seen === undefined) return []
        const alias = seen.alias === undefined ? undefined : tokenName(seen.alias)
        return [fault('ACCESS_PROVIDER_SEEN', plugin.path, tokenName(token), seen.record.plugin.path, alias, this.#by)]
      })
    })
  }
}

/** Returns the place and the title of a route, for messages. */
function namedOf({ place, methods, url }: JudgedRoute): { readonly place: string; readonly title: string } {
  return { place, title: `${methods.join(', ')} ${url}` }
}

/** Returns the name of the first hook before the handler that a hook class has as a method: `onRequest`. */
function stageOf(hook: unknown): string {
  const prototype = (hook as { prototype?: Record<string, unknown> }).prototype ?? {}
  return [...guardHookNames, 'around'].find((stage) => typeof prototype[stage] === 'function') ?? 'onRequest'
}

/** Returns the records of all providers of a token, private ones included. */
function recordsOf(token: Token<any>, { providers, privateProviders }: Wiring): ProviderRecord[] {
  const key = tokenKey(token)
  return [...providers.values(), ...privateProviders.values()].flatMap((records) => records.get(key) ?? [])
}

/** Returns the provider of a token that a plugin sees. If the plugin sees the provider only by an alias, the alias is returned too. */
function findSeen(
  plugin: PluginNode,
  token: Token<any>,
  records: readonly ProviderRecord[],
  wiring: Wiring,
): { record: ProviderRecord; alias?: Token<any> } | undefined {
  const record = wiring.findProvider(plugin, token)
  if (record !== undefined) return { record }
  const visible = [wiring.privateProviders.get(plugin), ...ancestors(plugin).map((each) => wiring.providers.get(each.contextOwner))]
  for (const alias of visible.flatMap((found) => [...(found?.values() ?? [])])) {
    if (alias.kind !== 'existing') continue
    const behind = wiring.findProvider(plugin, alias.token)
    if (behind !== undefined && records.includes(behind)) return { record: behind, alias: alias.token }
  }
  return undefined
}
