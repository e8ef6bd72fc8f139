/** Compares the routes of two locks. */
import type { DeprecationDescription } from '../../lib/index.js'
import { textOfDeprecation } from '../../lib/internal.js'
import { runsBeforeHandler } from '../declare/hook.js'
import { change, type LockChange, type LockChangeKind, pairUp } from './change.js'
import { writeRequirement } from './lines.js'
import type { Lock, LockedHook, LockedRoute } from './lock-types.js'
import { type PlacedRoute, routesOf, routeTitle } from './routes.js'

function placeOf({ route, plugin }: PlacedRoute): string {
  return `${plugin.path} > ${route.handler}`
}

export function compareRoutes(old: Lock, now: Lock): LockChange[] {
  const [before, after] = [routesOf(old), routesOf(now)]
  const removed = [...before].filter(([title]) => !after.has(title))
  const added = [...after].filter(([title]) => !before.has(title))
  // A route with several methods is compared once for each route that it was.
  const pairs = new Map<PlacedRoute, Map<PlacedRoute, string[]>>()
  for (const [title, route] of after) {
    const counterpart = before.get(title)
    if (counterpart === undefined) continue
    const found = pairs.get(route) ?? new Map<PlacedRoute, string[]>()
    pairs.set(route, found)
    found.set(counterpart, [...(found.get(counterpart) ?? []), title.slice(0, title.indexOf(' '))])
  }
  return [
    ...removed.map(([title, route]) => change('route-removed', placeOf(route), title, `is gone (it was answered by ${placeOf(route)})`)),
    ...added.map(([title, route]) =>
      change('route-added', placeOf(route), title, `is new (answered by ${placeOf(route)}, ${guardsOf(route)})`),
    ),
    ...[...pairs].flatMap(([route, others]) =>
      [...others].flatMap(([other, methods]) => comparePair(other, route, routeTitle(methods.join(', '), route.route))),
    ),
  ]
}

/** Returns a text about the hooks that run before the handler of a route, for an added or removed route. */
function guardsOf({ route }: PlacedRoute): string {
  const names = route.hooks.filter(({ hook }) => runsBeforeHandler(hook)).map(({ name }) => name)
  return names.length === 0 ? 'without a guard' : `after ${names.join(', ')}`
}

function comparePair(old: PlacedRoute, now: PlacedRoute, title: string): LockChange[] {
  const place = placeOf(now)
  const changed = (kind: LockChangeKind, what: string): LockChange => change(kind, place, title, what)
  const [before, after] = [old.route, now.route]
  return [
    ...(old.plugin.path === now.plugin.path ? [] : [changed('route-moved', `moved from ${old.plugin.path} to ${now.plugin.path}`)]),
    ...(before.handler === after.handler
      ? []
      : [changed('handler-changed', `is answered by ${after.handler} instead of ${before.handler}`)]),
    ...(before.lifetime === after.lifetime
      ? []
      : [changed('handler-lifetime-changed', `has a handler with the lifetime ${after.lifetime} instead of ${before.lifetime}`)]),
    ...compareDeprecations(before, after, changed),
    ...compareHooks(old, now, changed),
    ...compareSecurity(before, after, changed),
    ...compareNamed(before.input, after.input).map(({ name, what }) => changed('input-changed', `${nameOfPart(name)} ${what}`)),
    ...compareNamed(before.replies, after.replies).map(({ name, what }) => changed('reply-changed', `reply ${name} ${what}`)),
    ...compareLimits(before, after, changed),
  ]
}

type Changed = (kind: LockChangeKind, what: string) => LockChange

function compareDeprecations({ deprecated: old }: LockedRoute, { deprecated: now }: LockedRoute, changed: Changed): LockChange[] {
  const textOf = (deprecated: true | DeprecationDescription): string =>
    deprecated === true ? 'without dates' : textOfDeprecation(deprecated)
  if (now === undefined) return old === undefined ? [] : [changed('deprecation-changed', 'is no longer deprecated')]
  const [before, after] = [old && textOf(old), textOf(now)]
  if (before === after) return []
  return [changed('deprecation-changed', `is deprecated ${after}${before === undefined ? '' : ` (before: ${before})`}`)]
}

const keyOf = ({ hook, name }: LockedHook): string => `${hook} ${name}`

function compareHooks(old: PlacedRoute, now: PlacedRoute, changed: Changed): LockChange[] {
  const { kept, lost, gained } = pairUp(old.route.hooks, now.route.hooks, keyOf, (one, other) => one.from === other.from)
  const before = old.route.hooks.filter((hook) => kept.some(([each]) => each === hook))
  const isReordered = kept.some(([each], index) => each !== before[index])
  const names = (hooks: readonly LockedHook[]): string => hooks.map(({ name }) => name).join(', ')
  // The hooks of a plugin that has another path now are the same hooks.
  const followed = (from: string): string => (from === old.plugin.path ? now.plugin.path : from)
  return [
    ...lost.map((hook) => changed('hook-lost', `lost the ${labelOf(hook)}`)),
    ...gained.map((hook) => changed('hook-gained', `gained the ${labelOf(hook)}`)),
    ...kept
      .filter(([one, other]) => followed(one.from) !== other.from)
      .map(([one, other]) => changed('hook-moved', `gets the ${labelOf(other)} instead of ${sourceOf(one)}`)),
    ...(isReordered
      ? [changed('hooks-reordered', `runs its hooks in another order: ${names(kept.map(([, hook]) => hook))} (before: ${names(before)})`)]
      : []),
  ]
}

function labelOf(hook: LockedHook): string {
  return `${runsBeforeHandler(hook.hook) ? 'guard' : 'hook'} ${hook.name} (${hook.hook}) of ${sourceOf(hook)}`
}

function sourceOf({ from }: LockedHook): string {
  return from === 'route' ? 'the route' : from
}

function compareSecurity(old: LockedRoute, now: LockedRoute, changed: Changed): LockChange[] {
  const textOf = ({ security }: LockedRoute): string => (security.length === 0 ? 'nothing' : security.map(writeRequirement).join(' or '))
  const [before, after] = [textOf(old), textOf(now)]
  return before === after ? [] : [changed('security-changed', `requires ${after} instead of ${before}`)]
}

const namesOfParts: Readonly<Record<string, string>> = { params: 'path parameters', querystring: 'query' }

function nameOfPart(part: string): string {
  return `${Object.hasOwn(namesOfParts, part) ? namesOfParts[part]! : part} schema`
}

/** Compares the schemas of a route by name, using their digests. */
function compareNamed(
  old: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): { readonly name: string; readonly what: string }[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  return names.flatMap((name) => {
    if (!Object.hasOwn(now, name)) return { name, what: 'is gone' }
    if (!Object.hasOwn(old, name)) return { name, what: 'is new' }
    if (old[name] === now[name]) return []
    return {
      name,
      what: isDigest(now[name]!) && isDigest(old[name]!) ? 'changed' : `is ${stateOf(now[name]!)} (before: ${stateOf(old[name]!)})`,
    }
  })
}

const isDigest = (value: string): boolean => /^[0-9a-f]{12}$/.test(value)
const stateOf = (value: string): string => (isDigest(value) ? 'known' : value)

const namesOfLimits: Readonly<Record<string, [name: string, unit: string]>> = {
  bodyLimit: ['body limit', 'bytes'],
  handlerTimeout: ['handler timeout', 'ms'],
}

function compareLimits({ limits: old }: LockedRoute, { limits: now }: LockedRoute, changed: Changed): LockChange[] {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) => {
    const [name, unit] = Object.hasOwn(namesOfLimits, key) ? namesOfLimits[key]! : [key, '']
    const textOf = (limits: LockedRoute['limits']): string => (Object.hasOwn(limits, key) ? `${limits[key]} ${unit}`.trim() : 'none')
    return textOf(old) === textOf(now) ? [] : changed('limit-changed', `has the ${name} ${textOf(now)} instead of ${textOf(old)}`)
  })
}
