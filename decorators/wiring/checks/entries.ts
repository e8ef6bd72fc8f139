/** Faults of entries in the lists of `@Plugin` that are not what the list takes: `undefined`, or an instance instead of its class. */
import { problemOfErrorClass } from '../../../lib/internal.js'
import type { AccessRule } from '../../declare/access/rule.js'
import { getRequired } from '../../declare/hook.js'
import { isImportEntry } from '../../declare/imports.js'
import { getControllerOptions } from '../../declare/route.js'
import { isToken } from '../../declare/tokens.js'
import { textOfRule } from '../access/rule-text.js'
import { type Fault, fault } from '../faults.js'
import { findInvalidHandlers } from '../members.js'
import type { PluginNode } from '../nodes.js'
import { describeValue, nameOf } from '../names.js'

const decoratorCure = "Write a decorator that requestDecorator('name', value) made."

export function findInvalidEntries(plugins: readonly PluginNode[]): Fault[] {
  return plugins.flatMap((plugin) => [
    ...invalidHooks(plugin),
    ...findInvalidHandlers(plugin),
    ...listOf(plugin, 'decorateRequest', isRequestDecorator, decoratorCure),
    ...listOf(plugin, 'requires', isRequestDecorator, decoratorCure),
    ...invalidDecorates(plugin),
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
  const required = getRequired(hook).filter((entry) => !isRequestDecorator(entry))
  const ofRequires = required.map((entry) =>
    fault('ENTRY_INVALID', place, `${option}, in static requires of ${nameOf(hook)}`, describeValue(entry), decoratorCure),
  )
  const ofThrows = problemsOfThrows(hook).map(({ given, cure }) =>
    fault('ENTRY_INVALID', place, `static throws of ${nameOf(hook)}`, given, cure),
  )
  if (typeof hook === 'function') return [...ofRequires, ...ofThrows]
  const cure =
    Array.isArray(hook) && option.startsWith('@')
      ? `Write one @Hook('${name}', …) for each.`
      : `A hook is a function, or for requests a class with a method ${name}: list the class.`
  return [fault('ENTRY_INVALID', place, option, describeValue(hook), cure)]
}

/** Returns the problems of the entries of `static throws` of a hook class. */
function problemsOfThrows(hook: unknown): { given: string; cure: string }[] {
  const { throws } = (typeof hook === 'function' ? hook : {}) as { throws?: unknown }
  if (throws === undefined) return []
  if (!Array.isArray(throws)) return [{ given: describeValue(throws), cure: 'Write a list: static readonly throws = [NoSuchUser].' }]
  return throws.flatMap((entry) => {
    const cure = problemOfErrorClass(entry)
    return cure === undefined ? [] : [{ given: describeValue(entry), cure }]
  })
}

/** Returns the faults of the request decorators in the third argument of `use`. */
function invalidDecorates({ path, options }: PluginNode): Fault[] {
  return (options.imports ?? []).filter(isImportEntry).flatMap(({ plugin, decorates }) =>
    decoratesOf(decorates)
      .filter((entry) => !isRequestDecorator(entry))
      .map((entry) => fault('ENTRY_INVALID', path, `decorates of use(${nameOf(plugin)}, …)`, describeValue(entry), decoratorCure)),
  )
}

/** Returns the faults of the entries of `throws`. Entries of a controller are reported at the place of the controller. */
function invalidErrorClasses({ path, options, routes }: PluginNode): Fault[] {
  // Routes have the entries of their controllers too.
  if (options.throws === undefined && routes.every((route) => route.options.throws === undefined)) return []
  const listed = (place: string, classes: readonly unknown[] = []): { place: string; given: unknown }[] =>
    classes.map((given) => ({ place, given }))
  const ofRoutes = routes.flatMap((route) => {
    const { throws } = getControllerOptions(route.Class)
    // A value that is not a list is reported with the other options.
    const ofController: readonly unknown[] = Array.isArray(throws) ? throws : []
    const shared = listed(`${path} > ${nameOf(route.Class)}`, ofController)
    return [...shared, ...listed(route.path, route.options.throws?.slice(ofController.length))]
  })
  return [...listed(path, options.throws), ...ofRoutes].flatMap(({ place, given }) => {
    const problem = problemOfErrorClass(given)
    return problem === undefined ? [] : [fault('ENTRY_INVALID', place, 'throws', describeValue(given), problem)]
  })
}

/** Returns the faults of rules that `rule` did not make, and of rules that name something undefined. */
function invalidAccessRules({ path, options: { access = [] } }: PluginNode): Fault[] {
  return access.flatMap((given: AccessRule | undefined) => {
    if (given?.kind !== 'access rule')
      return fault('ENTRY_INVALID', path, 'access', describeValue(given), "Write rule.routes('/**').run(RequireUser), or another rule.")
    const cure = 'Declare it first: it is often undefined because of a circle of imports.'
    return namedBy(given)
      .filter((named) => typeof named !== 'function' && typeof named !== 'string' && !isToken(named))
      .map((named) => fault('ENTRY_INVALID', path, `the access rule ${textOfRule(given)}`, describeValue(named), cure))
  })
}

/** Returns the routes, hooks, functions and tokens that a rule names. */
function namedBy({ demand }: AccessRule): readonly unknown[] {
  if (demand.of === 'providers') return demand.hidden
  if (demand.of === 'public') return demand.exactly
  const { chosen, except } = demand.routes
  return [...chosen, ...except, ...(demand.of === 'hooks' ? demand.hooks : [demand.judge])]
}

/** Returns the request decorators of an import as a list, also if only one was written. */
function decoratesOf(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : [given]
}

type ListName = 'decorateRequest' | 'requires' | 'contentTypeParsers' | 'private'

function listOf({ path, options }: PluginNode, name: ListName, isValid: (entry: unknown) => boolean, cure: string): Fault[] {
  const entries: unknown = options[name]
  if (!Array.isArray(entries)) return []
  return entries.filter((entry) => !isValid(entry)).map((entry) => fault('ENTRY_INVALID', path, name, describeValue(entry), cure))
}

function isRequestDecorator(entry: unknown): boolean {
  return (entry as { kind?: unknown } | null | undefined)?.kind === 'request decorator'
}
