/** Faults of what guards, handlers and plugins say of their replies, and of the texts of routes. */
import { contractOf, findContractProblems, findDocsProblems, nearestName } from '../../../lib/internal.js'
import { isImportEntry } from '../../declare/imports.js'
import { getControllerOptions } from '../../declare/route.js'
import { type Fault, fault } from '../faults.js'
import { isClass, nameOf } from '../names.js'
import { isPluginNode, type PluginNode } from '../nodes.js'

/** A class or function that may have a contract. */
interface Carrier {
  readonly given: unknown
  readonly place: string
  /** Whether it decides which requests are let in. */
  readonly isGuard: boolean
}

export function findInvalidContracts(plugins: readonly PluginNode[]): Fault[] {
  return plugins.flatMap((plugin) => [
    ...carriersOf(plugin).flatMap(findProblems),
    ...problemsOfImports(plugin),
    ...problemsOfDocs(plugin).map(({ place, problem }) => fault('CONTRACT_INVALID', place, problem)),
  ])
}

/** Whether anything in a tree has a contract. */
export function hasContracts(plugins: readonly PluginNode[]): boolean {
  return plugins.some(
    (plugin) =>
      carriersOf(plugin).some(({ given }) => readContract(given) !== undefined) ||
      plugin.imports.some((entry) => !isPluginNode(entry) && Object.keys(entry.contract).length > 0),
  )
}

function carriersOf({ Class: PluginClass, path, options, routes }: PluginNode): Carrier[] {
  const carrier = (given: unknown, owner: string, isGuard: boolean): Carrier => ({ given, place: `${owner} > ${nameOf(given)}`, isGuard })
  return [
    { given: PluginClass, place: path, isGuard: true },
    ...Object.values(options.hooks ?? {}).flatMap((hooks) => [hooks].flat().map((hook) => carrier(hook, path, true))),
    ...[options.errorHandler, options.notFoundHandler].map((handler) => carrier(handler, path, false)),
    ...routes.flatMap((route) => [
      ...route.hooks.map(({ hook }) => carrier(hook, route.path, true)),
      carrier(route.options.errorHandler, route.path, false),
    ]),
  ].filter(({ given }) => typeof given === 'function')
}

const contractKeys = ['responses', 'security']
/** What is read of a class besides. */
const otherStatics = ['throws']

/** The contract as it was written. */
function readContract(given: unknown): Record<string, unknown> | undefined {
  const carried = contractOf(given) as Record<string, unknown> | undefined
  if (carried !== undefined || !isClass(given)) return carried
  const statics = given as unknown as Record<string, unknown> // a class has no index signature
  const entries = contractKeys.filter((key) => statics[key] !== undefined).map((key) => [key, statics[key]])
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Record<string, unknown>)
}

function findProblems({ given, place, isGuard }: Carrier): Fault[] {
  const problems = isClass(given) ? misspeltStatics(given) : []
  const { docs: _docs, ...contract } = readContract(given) ?? {}
  if (Object.keys(contract).length > 0) problems.push(...findContractProblems(contract))
  if (!isGuard && contract['security'] !== undefined)
    problems.push('has a security, but a handler of errors lets no request in. Write it in the hook that does')
  return problems.map((problem) => fault('CONTRACT_INVALID', place, problem))
}

/** Static members whose names resemble those that are read. */
function misspeltStatics(given: object): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const known = [...contractKeys, ...otherStatics]
    const meant = known.includes(name) || value === null || typeof value !== 'object' ? undefined : nearestName(name, known, 2)
    return meant === undefined ? [] : `has static ${name}, which nothing reads. Write static ${meant}`
  })
}

function problemsOfImports({ path, options }: PluginNode): Fault[] {
  return (options.imports ?? []).filter(isImportEntry).flatMap(({ plugin, known }) => {
    const { responses, security, docs } = known as Record<string, unknown>
    const contract = { ...(responses !== undefined && { responses }), ...(security !== undefined && { security }) }
    const isDescribed = Object.keys(contract).length > 0 || docs !== undefined
    const problems = [...(isDescribed ? findContractProblems(contract) : []), ...findDocsProblems(docs, false)]
    if (isDescribed && isClass(plugin))
      problems.push('is a class, which says itself what it answers. Write static responses, static security and the option docs there')
    return problems.map((problem) => fault('CONTRACT_INVALID', `${path}, in the third argument of use(${nameOf(plugin)}, …),`, problem))
  })
}

function problemsOfDocs({ path, options, routes }: PluginNode): { place: string; problem: string }[] {
  const classes = new Set(routes.map((route) => route.Class))
  const given = [
    { place: path, docs: options.docs, isOfRoute: false },
    ...[...classes].map((Class) => ({ place: `${path} > ${nameOf(Class)}`, docs: getControllerOptions(Class).docs, isOfRoute: false })),
    ...routes.map((route) => ({ place: route.path, docs: route.options.docs, isOfRoute: true })),
  ]
  return given.flatMap(({ place, docs, isOfRoute }) => findDocsProblems(docs, isOfRoute).map((problem) => ({ place, problem })))
}
