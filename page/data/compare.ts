/** Compares two explanations: the routes, hooks, providers and contexts that are gained, lost or changed. */
import { canonicalText } from '../../lib/util/objects.js'
import type { RouteExplanation } from '../../decorators/tools/explanation.js'
import { colours, type Guard, type Hook, hookName, isGuard, type Model, type Route, type WiringNode } from './model.js'

/** Whether something is only in the new state, only in the old one, or in both with a difference. */
export type Mark = 'gained' | 'lost' | 'changed'

export interface Detail {
  readonly mark: Mark
  readonly text: string
}

/** A route, provider, class or plugin that differs. */
export interface Change {
  readonly mark: Mark
  readonly subject: 'route' | 'plugin' | 'provider'
  /** The title of the route, the path of the plugin, or the key of the provider. */
  readonly name: string
  readonly details: readonly Detail[]
  /** Whether the change may let in more requests: a guard or a security requirement is lost, or a new route has none. */
  readonly opens: boolean
}

export interface Comparison {
  readonly old: Model
  readonly changes: readonly Change[]
  /** The changes of routes, by title. */
  readonly routes: ReadonlyMap<string, Change>
  /** The routes that only the old state has. */
  readonly lost: readonly Route[]
  /** The guards that only the old state has, by name. Their colours follow those of the new state. */
  readonly lostGuards: ReadonlyMap<string, Guard>
}

export function compare(old: Model, now: Model): Comparison {
  const lost = old.routes.filter(({ title }) => !now.byTitle.has(title))
  const routes = [
    ...lost.map((route): Change => ({ mark: 'lost', subject: 'route', name: route.title, details: [], opens: false })),
    ...now.routes.flatMap((route) => compareRoute(old.byTitle.get(route.title), route)),
  ]
  const changes = [...routes, ...comparePlugins(old, now), ...compareNodes(old, now)]
  return { old, changes, routes: new Map(routes.map((change) => [change.name, change])), lost, lostGuards: lostGuards(old, now) }
}

function lostGuards(old: Model, now: Model): Map<string, Guard> {
  const lost = [...old.guards.values()].filter(({ name }) => !now.guards.has(name))
  return new Map(lost.map((guard, index) => [guard.name, { ...guard, colour: (now.guards.size + index) % colours }]))
}

function compareRoute(old: Route | undefined, now: Route): Change[] {
  if (old === undefined) {
    const isOpen = now.guards.length === 0 && now.explained.security.length === 0
    const text = isOpen ? 'no guard' : `guards: ${now.guards.join(', ') || securityText(now.explained)}`
    return [{ mark: 'gained', subject: 'route', name: now.title, details: [{ mark: 'gained', text }], opens: isOpen }]
  }
  const details = routeDetails(old.explained, now.explained)
  if (details.length === 0) return []
  const opens =
    old.guards.some((name) => !now.guards.includes(name)) || (old.explained.security.length > 0 && now.explained.security.length === 0)
  return [{ mark: 'changed', subject: 'route', name: now.title, details, opens }]
}

function routeDetails(old: RouteExplanation, now: RouteExplanation): Detail[] {
  return [
    ...compareText('context', old.context, now.context),
    ...compareText('handler', nameInContext(old), nameInContext(now)),
    ...compareHooks(old.hooks, now.hooks),
    ...compareText('security', securityText(old), securityText(now)),
    ...compareParts('request', requestParts(old), requestParts(now)),
    ...compareParts('response', responseParts(old), responseParts(now)),
    ...compareText('status', old.status, now.status),
    ...compareText('body limit', old.limits.bodyLimit, now.limits.bodyLimit),
    ...compareText('handler timeout', old.limits.handlerTimeout, now.limits.handlerTimeout),
    ...compareText('deprecated', old.deprecated, now.deprecated),
    ...compareText('error handlers', namesOf(old.errorHandlers), namesOf(now.errorHandlers)),
    ...compareNames('sees', seenBy(old), seenBy(now)),
  ]
}

function nameInContext({ place, context }: RouteExplanation): string {
  return place.startsWith(`${context} > `) ? place.slice(context.length + 3) : place
}

const namesOf = (entries: readonly { readonly name: string }[]): string => entries.map(({ name }) => name).join(', ')

function seenBy({ visible }: RouteExplanation): string[] {
  return [
    ...visible.requestDecorators.map(({ name }) => `request.${name}`),
    ...visible.providers.map(({ name, from }) => `${name} of ${from}`),
  ]
}

export function securityText({ security }: RouteExplanation): string {
  return security
    .map((schemes) => Object.entries(schemes).map(([name, scopes]) => (scopes.length === 0 ? name : `${name} (${scopes.join(', ')})`)))
    .map((names) => names.join(' and '))
    .join(' or ')
}

type Shown = string | number | boolean | undefined

function compareText(name: string, old: Shown, now: Shown): Detail[] {
  if (old === now) return []
  const shown = (value: Shown): string => (value === undefined || value === '' ? 'none' : String(value))
  return [{ mark: 'changed', text: `${name}: ${shown(old)} → ${shown(now)}` }]
}

function compareNames(what: string, old: readonly string[], now: readonly string[]): Detail[] {
  return [
    ...now.filter((name) => !old.includes(name)).map((name): Detail => ({ mark: 'gained', text: `${what} ${name}` })),
    ...old.filter((name) => !now.includes(name)).map((name): Detail => ({ mark: 'lost', text: `${what} ${name}` })),
  ]
}

function compareHooks(old: readonly Hook[], now: readonly Hook[]): Detail[] {
  const merged = mergeHooks(old, now)
  const details = merged.flatMap(({ mark, hook }): Detail[] =>
    mark === undefined ? [] : [{ mark, text: `${isGuard(hook) ? 'guard' : 'hook'} ${hookName(hook)} (${hook.hook}) of ${hook.from}` }],
  )
  // A hook that is both gained and lost has moved.
  const moved = details.filter(
    ({ mark, text }) => mark === 'lost' && details.some((other) => other.mark === 'gained' && other.text === text),
  )
  return [
    ...details.filter(({ text }) => !moved.some((each) => each.text === text)),
    ...moved.map(({ text }): Detail => ({ mark: 'changed', text: `${text} runs at another place in the order` })),
  ]
}

/** Returns the hooks of both states in their order, those of one state alone with a mark. */
export function mergeHooks(old: readonly Hook[], now: readonly Hook[]): { readonly hook: Hook; readonly mark?: 'gained' | 'lost' }[] {
  const keyOf = ({ hook, name, from }: Hook): string => `${hook}\n${name}\n${from}`
  return mergeLists(old, now, keyOf).map(({ entry, mark }) => ({ hook: entry, ...(mark !== undefined && { mark }) }))
}

/** The lists are compared entry by entry up to this length; of longer ones all entries are marked. */
const longestList = 300

/** Merges two lists by their longest common subsequence. */
export function mergeLists<T>(old: readonly T[], now: readonly T[], keyOf: (entry: T) => string): { entry: T; mark?: 'gained' | 'lost' }[] {
  const isTooLong = old.length > longestList || now.length > longestList
  const [one, other] = [old.map(keyOf), now.map(keyOf)]
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1))
  if (!isTooLong)
    for (let i = old.length - 1; i >= 0; i--)
      for (let j = now.length - 1; j >= 0; j--)
        lengths[i]![j] = one[i] === other[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  const merged: { entry: T; mark?: 'gained' | 'lost' }[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && one[i] === other[j]) {
      merged.push({ entry: now[j++]! })
      i++
    } else if (i < old.length && (j === now.length || lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      merged.push({ entry: old[i++]!, mark: 'lost' })
    else merged.push({ entry: now[j++]!, mark: 'gained' })
  }
  return merged
}

function requestParts({ input }: RouteExplanation): [string, unknown][] {
  const { body = {}, ...parts } = input
  return [...Object.entries(parts), ...Object.entries(body).map(([type, schema]): [string, unknown] => [`body ${type}`, schema])]
}

function responseParts({ responses }: RouteExplanation): [string, unknown][] {
  return Object.entries(responses).map(([status, { content, headers, itemSchema }]) => [status, { content, headers, itemSchema }])
}

function compareParts(what: string, old: readonly [string, unknown][], now: readonly [string, unknown][]): Detail[] {
  const [before, after] = [new Map(old), new Map(now)]
  const changed = [...after].filter(
    ([name, value]) => before.has(name) && before.get(name) !== value && canonicalText(before.get(name)) !== canonicalText(value),
  )
  return [
    ...compareNames(what, [...before.keys()], [...after.keys()]),
    ...changed.map(([name]): Detail => ({ mark: 'changed', text: `${what} ${name} has another schema` })),
  ]
}

function comparePlugins(old: Model, now: Model): Change[] {
  const paths = ({ contexts, plugins }: Model): string[] => [...new Set([...contexts, ...plugins].map(({ path }) => path))]
  const found = compareNames('', paths(old), paths(now))
  return found.map(({ mark, text }) => ({ mark, subject: 'plugin', name: text.trim(), details: [], opens: false }))
}

function compareNodes(old: Model, now: Model): Change[] {
  // A file of an earlier version has no wiring.
  if (old.plugins.length === 0) return []
  const change = (mark: Mark, { key }: WiringNode, details: readonly Detail[] = []): Change => ({
    mark,
    subject: 'provider',
    name: key,
    details,
    opens: false,
  })
  return [
    ...[...old.nodes.values()].filter(({ key }) => !now.nodes.has(key)).map((node) => change('lost', node)),
    ...[...now.nodes.values()].flatMap((node) => {
      const before = old.nodes.get(node.key)
      if (before === undefined) return [change('gained', node)]
      const details = [
        ...compareText('lifetime', before.lifetime, node.lifetime),
        ...compareText('private', before.isPrivate, node.isPrivate),
        ...compareNames('needs', needsOf(before), needsOf(node)),
      ]
      return details.length === 0 ? [] : [change('changed', node, details)]
    }),
  ]
}

function needsOf({ needs }: WiringNode): string[] {
  return needs.map(({ name, from }) => (from === undefined ? name : `${name} of ${from}`))
}
