/** Finds invalid entries in the lists of `@Plugin`, such as `undefined`, or an instance instead of its class. */
import { problemOfErrorClass } from '../../../lib/internal.js'
import type { AccessRule } from '../../declare/access/rule.js'
import { getLacking, getRequired, getSet, guardHookNames, runsBeforeHandler } from '../../declare/hook.js'
import { isImportEntry } from '../../declare/imports.js'
import { getControllerOptions } from '../../declare/route.js'
import { isToken, type RequestDecorator } from '../../declare/tokens.js'
import { textOfRule } from '../access/rule-text.js'
import { type Fault, fault } from '../faults.js'
import { findInvalidHandlers } from '../constructed-classes.js'
import type { PluginNode } from '../nodes.js'
import { describeValue, nameOf } from '../value-names.js'

const decoratorCure = "Write a decorator that requestDecorator('name', value) made."

export function findInvalidEntries(plugins: readonly PluginNode[]): Fault[] {
  return plugins.flatMap((plugin) => [
    ...invalidHooks(plugin),
    ...problemsOfRequires(plugin.options.notFoundHandler, plugin.path, 'notFoundHandler'),
    ...findInvalidHandlers(plugin),
    ...listOf(plugin, 'decorateRequest', isRequestDecorator, decoratorCure),
    ...listOf(plugin, 'requires', isRequestDecorator, decoratorCure),
    ...invalidDecorates(plugin),
    ...invalidLacking(plugin),
    ...invalidErrorClasses(plugin),
    ...listOf(plugin, 'contentTypeParsers', (entry) => entry !== null && typeof entry === 'object', 'Write { type, parse }.'),
    ...invalidAccessRules(plugin),
    ...listOf(plugin, 'private', (entry) => entry != null, 'Write the token of a provider of this plugin.'),
  ])
}

function invalidHooks({ path, hooks, routes }: PluginNode): Fault[] {
  return [
    ...hooks.flatMap((used) => problemsOfHook(used, path, `hooks.${used.name}`)),
    ...routes.flatMap((route) => route.hooks.flatMap((used) => problemsOfHook(used, route.path, `@Hook('${used.name}')`))),
  ]
}

function problemsOfHook({ name, hook }: { readonly name: string; readonly hook: unknown }, place: string, option: string): Fault[] {
  const ofRequires = problemsOfRequires(hook, place, option)
  const ofSets = problemsOfSets(name, hook).map(({ described, cure }) =>
    fault('ENTRY_INVALID', place, `${option}, in static sets of ${nameOf(hook)}`, described, cure),
  )
  const ofThrows = problemsOfThrows(hook).map(({ described, cure }) =>
    fault('ENTRY_INVALID', place, `static throws of ${nameOf(hook)}`, described, cure),
  )
  if (typeof hook === 'function') return [...ofRequires, ...ofSets, ...ofThrows]
  const cure =
    Array.isArray(hook) && option.startsWith('@')
      ? `Write one @Hook('${name}', …) for each.`
      : `A hook is a function, or for requests a class with a method ${name}: list the class.`
  return [fault('ENTRY_INVALID', place, option, describeValue(hook), cure)]
}

/** Returns the faults of the entries of `static requires` of a hook class or a not-found handler class. */
function problemsOfRequires(reader: unknown, place: string, option: string): Fault[] {
  return getRequired(reader)
    .filter((entry) => !isRequestDecorator(entry))
    .map((entry) =>
      fault('ENTRY_INVALID', place, `${option}, in static requires of ${nameOf(reader)}`, describeValue(entry), decoratorCure),
    )
}

/** Returns the problems of the entries of `static sets` of a hook class that runs as the hook `name`. */
function problemsOfSets(name: string, hook: unknown): { described: string; cure: string }[] {
  const late = runsBeforeHandler(name)
    ? undefined
    : `It runs too late to set it for a handler: only ${guardHookNames.join(', ')} and around can.`
  return getSet(hook).flatMap((entry: unknown) => {
    const cure = problemOfSet(entry) ?? late
    return cure === undefined ? [] : [{ described: describeDecorator(entry), cure }]
  })
}

/** Returns the problems of the entries of `static throws` of a hook class. */
function problemsOfThrows(hook: unknown): { described: string; cure: string }[] {
  const { throws } = (typeof hook === 'function' ? hook : {}) as { throws?: unknown }
  if (throws === undefined) return []
  if (!Array.isArray(throws)) return [{ described: describeValue(throws), cure: 'Write a list: static readonly throws = [NoSuchUser].' }]
  return throws.flatMap((entry) => {
    const cure = problemOfErrorClass(entry)
    return cure === undefined ? [] : [{ described: describeValue(entry), cure }]
  })
}

/** Returns the cure for an entry of `sets` that is not a request decorator set by hooks; `undefined` if the entry is valid. */
function problemOfSet(entry: unknown): string | undefined {
  if (!isRequestDecorator(entry)) return decoratorCure
  return entry.isSetByHook ? undefined : `Leave out its value, because a hook sets it: requestDecorator('${entry.name}').as<…>().`
}

function describeDecorator(entry: unknown): string {
  return isRequestDecorator(entry) ? `'${entry.name}'` : describeValue(entry)
}

/** Returns the faults of the request decorators in the third argument of `use`. */
function invalidDecorates({ path, options }: PluginNode): Fault[] {
  return (options.imports ?? []).filter(isImportEntry).flatMap(({ plugin, known }) => {
    const { decorates = [], sets = [] } = known as { decorates?: unknown; sets?: unknown }
    const invalid = (option: string, entry: unknown, cure: string | undefined): Fault[] =>
      cure === undefined ? [] : [fault('ENTRY_INVALID', path, `${option} of use(${nameOf(plugin)}, …)`, describeDecorator(entry), cure)]
    return [
      ...[decorates].flat().flatMap((entry) => invalid('decorates', entry, isRequestDecorator(entry) ? undefined : decoratorCure)),
      ...[sets].flat().flatMap((entry) => invalid('sets', entry, problemOfSet(entry))),
    ]
  })
}

/** Returns the faults of the request decorators in `@Without`. */
function invalidLacking({ routes }: PluginNode): Fault[] {
  return routes.flatMap(({ Class, member, path }) =>
    getLacking(Class, member)
      .filter((entry) => !isRequestDecorator(entry))
      .map((entry) => fault('ENTRY_INVALID', path, '@Without', describeValue(entry), decoratorCure)),
  )
}

/** Returns the faults of the entries of the option `throws`. Entries of a controller are reported once, at the place of the controller. */
function invalidErrorClasses({ path, options, routes }: PluginNode): Fault[] {
  // Routes have the entries of their controllers too.
  if (options.throws === undefined && routes.every((route) => route.options.throws === undefined)) return []
  const listed = (place: string, classes: readonly unknown[] = []): { place: string; entry: unknown }[] =>
    classes.map((entry) => ({ place, entry }))
  const ofRoutes = routes.flatMap((route) => {
    const { throws } = getControllerOptions(route.Class)
    // A value that is not a list is reported with the other options.
    const ofController: readonly unknown[] = Array.isArray(throws) ? throws : []
    const shared = listed(`${path} > ${nameOf(route.Class)}`, ofController)
    return [...shared, ...listed(route.path, route.options.throws?.slice(ofController.length))]
  })
  return [...listed(path, options.throws), ...ofRoutes].flatMap(({ place, entry }) => {
    const problem = problemOfErrorClass(entry)
    return problem === undefined ? [] : [fault('ENTRY_INVALID', place, 'throws', describeValue(entry), problem)]
  })
}

/** Returns the faults of access rules that were not made by `rule`, and of access rules that name something undefined. */
function invalidAccessRules({ path, options: { access = [] } }: PluginNode): Fault[] {
  return access.flatMap((entry: AccessRule | undefined) => {
    if (entry?.kind !== 'access rule')
      return fault('ENTRY_INVALID', path, 'access', describeValue(entry), "Write rule.routes('/**').run(RequireUser), or another rule.")
    const cure = 'Declare it first: it is often undefined because of a circle of imports.'
    return namedBy(entry)
      .filter((named) => typeof named !== 'function' && typeof named !== 'string' && !isToken(named))
      .map((named) => fault('ENTRY_INVALID', path, `the access rule ${textOfRule(entry)}`, describeValue(named), cure))
  })
}

/** Returns the routes, hooks, functions and tokens that an access rule names. */
function namedBy({ demand }: AccessRule): readonly unknown[] {
  if (demand.of === 'providers') return demand.hidden
  if (demand.of === 'public') return demand.exactly
  const { chosen, except } = demand.routes
  return [...chosen, ...except, ...(demand.of === 'hooks' ? demand.hooks : [demand.judge])]
}

type ListName = 'decorateRequest' | 'requires' | 'contentTypeParsers' | 'private'

function listOf({ path, options }: PluginNode, name: ListName, isValid: (entry: unknown) => boolean, cure: string): Fault[] {
  const entries: unknown = options[name]
  if (!Array.isArray(entries)) return []
  return entries.filter((entry) => !isValid(entry)).map((entry) => fault('ENTRY_INVALID', path, name, describeValue(entry), cure))
}

/** Whether a value is a request decorator made by `requestDecorator`. */
export function isRequestDecorator(entry: unknown): entry is RequestDecorator {
  return (entry as { kind?: unknown } | null | undefined)?.kind === 'request decorator'
}
