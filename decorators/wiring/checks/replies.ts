/** Finds faults of the replies that guards, handlers and plugins declare, and of the documentation texts of routes. */
import {
  type DescriptionProblem,
  declaredKeys,
  declaredRepliesOf,
  findReplyProblems,
  findDocsProblems,
  isPlainObject,
  isSharedFunction,
  nearestName,
} from '../../../lib/internal.js'
import { isImportEntry } from '../../declare/imports.js'
import { getControllerOptions } from '../../declare/route.js'
import { type Fault, fault } from '../faults.js'
import { isClass, nameOf } from '../value-names.js'
import { isPluginNode, type PluginNode } from '../nodes.js'

/** The faults of declared replies, and whether any replies are declared or any route refers to a declared security scheme. */
export interface RepliesReading {
  readonly faults: readonly Fault[]
  readonly hasDeclaredReplies: boolean
}

/** Checks the declared replies of all classes and functions of a module tree, each once. */
export function checkDeclaredReplies(plugins: readonly PluginNode[]): RepliesReading {
  const faults: Fault[] = []
  let hasDeclaredReplies = false
  const visit: Visit = (declaring, owner, isGuard) => {
    if (typeof declaring !== 'function') return
    const replies = readReplies(declaring)
    if (replies !== undefined) hasDeclaredReplies = true
    const isPlugin = typeof owner !== 'string'
    for (const problem of findProblems(declaring, replies, isGuard, isPlugin))
      faults.push(fault('DESCRIPTION_INVALID', isPlugin ? owner.path : `${owner} > ${nameOf(declaring)}`, problem))
  }
  for (const plugin of plugins) {
    visitCarriers(plugin, visit)
    if (plugin.routes.some(({ schema }) => schema?.['security'] !== undefined)) hasDeclaredReplies = true
    for (const entry of plugin.imports) if (!isPluginNode(entry) && Object.keys(entry.replies).length > 0) hasDeclaredReplies = true
    faults.push(...problemsOfImports(plugin))
    findProblemsOfDocs(plugin, faults)
  }
  return { faults, hasDeclaredReplies }
}

/**
 * A function that is called with each value that may declare replies, and with its owner: the path of the plugin or route that lists the
 * value, or the node of a plugin class. `isGuard`: whether the value is a guard, which may reject requests.
 */
type Visit = (declaring: unknown, owner: string | PluginNode, isGuard: boolean) => void

function visitCarriers(plugin: PluginNode, visit: Visit): void {
  const { Class: PluginClass, path, options, hooks, routes } = plugin
  visit(PluginClass, plugin, true)
  for (const { hook } of hooks) visit(hook, path, true)
  visit(options.errorHandler, path, false)
  visit(options.notFoundHandler, path, false)
  for (const route of routes) {
    for (const { hook } of route.hooks) visit(hook, route.path, true)
    visit(route.options.errorHandler, route.path, false)
  }
}

/** The names of the static members of a class that alcove reads. */
const knownStatics: readonly string[] = [...declaredKeys, 'throws', 'inject', 'requires', 'sets', 'endsBefore']

/** Returns the declared replies of a class or function, unchanged; `undefined` if there are none. */
function readReplies(declaring: unknown): Record<string, unknown> | undefined {
  const carried = declaredRepliesOf(declaring) as Record<string, unknown> | undefined
  if (carried !== undefined || !isClass(declaring)) return carried
  const statics = declaring as unknown as Record<string, unknown> // a class has no index signature
  const entries = declaredKeys.filter((key) => statics[key] !== undefined).map((key) => [key, statics[key]])
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Record<string, unknown>)
}

function findProblems(
  declaring: object,
  read: Record<string, unknown> | undefined,
  isGuard: boolean,
  isPlugin: boolean,
): DescriptionProblem[] {
  const problems = isClass(declaring) ? unreadStatics(declaring, isPlugin) : []
  if (read === undefined) return problems
  const { docs: _docs, deprecated: _deprecated, ...replies } = read
  if (Object.keys(replies).length > 0) problems.push(...findReplyProblems(replies))
  if (!isGuard && replies['security'] !== undefined)
    problems.push({ problem: 'has a security, but a handler of errors lets no request in', cure: 'Write it in the hook that does' })
  return problems
}

/** Returns the problems of static members whose names resemble the names that alcove reads, and of `throws` in a plugin class. */
function unreadStatics(DeclaringClass: object, isPlugin: boolean): DescriptionProblem[] {
  return Object.entries(DeclaringClass).flatMap(([name, value]) => {
    const isRead = knownStatics.includes(name) && !(isPlugin && name === 'throws')
    if (isRead || value === null || typeof value !== 'object') return []
    const meant = nearestName(name, knownStatics, 2)
    if (meant === undefined) return []
    const cure = isPlugin && meant === 'throws' ? 'Write the option throws: @Plugin({ throws: […] })' : `Write static ${meant}`
    return { problem: `has static ${name}, which nothing reads`, cure }
  })
}

function problemsOfImports({ path, options }: PluginNode): Fault[] {
  return (options.imports ?? []).filter(isImportEntry).flatMap(({ plugin, known, isShared }) => {
    const { docs, deprecated, ...others } = known as Record<string, unknown>
    const replies = Object.fromEntries(declaredKeys.filter((key) => others[key] !== undefined).map((key) => [key, others[key]]))
    const isDescribed = Object.keys(replies).length > 0 || docs !== undefined || deprecated !== undefined
    const problems = [...(isDescribed ? findReplyProblems(replies) : []), ...findDocsProblems({ docs, deprecated }, false)]
    if (isDescribed && isClass(plugin))
      problems.push({
        problem: 'is a class, which says itself what it answers',
        cure: 'Write static responses, static security and the options docs and deprecated there',
      })
    else if (isHidden(docs) && (isShared || isSharedFunction(plugin))) problems.push(hidesImporter)
    return problems.map((problem) => fault('DESCRIPTION_INVALID', path, problem, `the third argument of use(${nameOf(plugin)}, …)`))
  })
}

/** The problem of a shared plugin that is hidden: its routes have the context of the importing plugin. */
const hidesImporter: DescriptionProblem = {
  problem: 'would hide the routes of the importing plugin too, because it is shared',
  cure: 'Write docs: { hide: true } in each of its routes, or in the importing plugin',
}

function isHidden(docs: unknown): boolean {
  return isPlainObject(docs) && docs['hide'] === true
}

type Described = Parameters<typeof findDocsProblems>[0]

function findProblemsOfDocs({ path, options, routes, isShared }: PluginNode, faults: Fault[]): void {
  const report = (declaring: Described, isOfRoute: boolean, place: () => string): void => {
    for (const problem of findDocsProblems(declaring, isOfRoute)) faults.push(fault('DESCRIPTION_INVALID', place(), problem))
  }
  report(options, false, () => path)
  if (isShared && isHidden(options.docs)) faults.push(fault('DESCRIPTION_INVALID', path, hidesImporter))
  const classes = new Set(routes.map((route) => route.Class))
  for (const Class of classes) report(getControllerOptions(Class), false, () => `${path} > ${nameOf(Class)}`)
  for (const { Class, path: place, options: own } of routes) {
    // The declarations of a controller are reported at the controller.
    const isOwn = own.deprecated !== getControllerOptions(Class).deprecated
    report({ docs: own.docs, deprecated: isOwn ? own.deprecated : undefined }, true, () => place)
  }
}
