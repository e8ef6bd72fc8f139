/** The explanation as the page works with it: contexts and routes in lists, hooks and guards by name, the nodes of the wiring. */
import type { ProviderScope } from '../../decorators/declare/injectable.js'
import type {
  ConstructedExplanation,
  ExplanationDocument,
  PluginExplanation,
  RouteExplanation,
} from '../../decorators/tools/explanation.js'

export type Context = ExplanationDocument['root']
export type Hook = RouteExplanation['hooks'][number]

/** A route with what the list shows of it. */
export interface Route {
  /** The methods, the URL and the constraints: no other route has the same. */
  readonly title: string
  readonly explained: RouteExplanation
  /** The names of its guards, in the order in which they run. */
  readonly guards: readonly string[]
  /** The text in lower case that a search looks into. */
  readonly text: string
}

/** A provider or class of the wiring. */
export interface WiringNode {
  /** The path of the plugin and the name. */
  readonly key: string
  readonly name: string
  readonly plugin: string
  readonly kind: 'provider' | 'class'
  readonly lifetime: ProviderScope
  readonly isPrivate: boolean
  readonly needs: ConstructedExplanation['needs']
}

/** A guard with the number of routes that it runs for and its colour: a number from 0 to 9. */
export interface Guard {
  readonly name: string
  readonly routes: number
  readonly colour: number
}

export interface Model {
  readonly document: ExplanationDocument
  readonly contexts: readonly Context[]
  readonly routes: readonly Route[]
  readonly byTitle: ReadonlyMap<string, Route>
  /** The guards by name, those of most routes first. */
  readonly guards: ReadonlyMap<string, Guard>
  /** The names of all hooks, with the number of routes that each runs for. */
  readonly hooks: ReadonlyMap<string, number>
  readonly plugins: readonly PluginExplanation[]
  readonly nodes: ReadonlyMap<string, WiringNode>
}

const stagesBeforeHandler: ReadonlySet<string> = new Set(['onRequest', 'preParsing', 'preValidation', 'preHandler', 'around'])

/** Whether a hook runs before the handler, so that it can refuse a request. */
export function isGuard({ hook }: Hook): boolean {
  return stagesBeforeHandler.has(hook)
}

/** Returns the name of a hook without its method, which the stage says: `RequireUser` for `RequireUser.onRequest`. */
export function hookName({ hook, name }: Hook): string {
  const method = `.${hook}`
  return name.endsWith(method) ? name.slice(0, -method.length) : name
}

export function titleOf({ methods, url, constraints }: RouteExplanation): string {
  const title = `${methods.join(', ')} ${url}`
  return constraints === undefined ? title : `${title} ${JSON.stringify(constraints)}`
}

export function nodeKey(plugin: string, name: string): string {
  return `${plugin} > ${name}`
}

/** Whether a path is that of a context or below it. */
export function isWithin(path: string, context: string): boolean {
  return path === context || path.startsWith(`${context} > `)
}

export function makeModel(document: ExplanationDocument): Model {
  const routes = document.routes.map(readRoute)
  const plugins = document.plugins ?? []
  return {
    document,
    contexts: contextsBelow(document.root),
    routes,
    byTitle: new Map(routes.map((route) => [route.title, route])),
    guards: readGuards(routes),
    hooks: countNames(routes.map(({ explained }) => explained.hooks.map(hookName))),
    plugins,
    nodes: new Map(plugins.flatMap(readNodes).map((node) => [node.key, node])),
  }
}

function contextsBelow(context: Context): Context[] {
  return [context, ...context.children.flatMap(contextsBelow)]
}

function readRoute(explained: RouteExplanation): Route {
  const title = titleOf(explained)
  const { place, hooks, docs, security } = explained
  const texts = [title, place, docs.summary, docs.operationId, ...(docs.tags ?? []), ...security.flatMap((each) => Object.keys(each))]
  return {
    title,
    explained,
    guards: [...new Set(hooks.filter(isGuard).map(hookName))],
    text: [...texts, ...hooks.map(({ name }) => name)].join('\n').toLowerCase(),
  }
}

function countNames(lists: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const names of lists) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map([...counts].sort(([one, times], [other, otherTimes]) => otherTimes - times || (one < other ? -1 : 1)))
}

/** How many colours of guards the style has. */
export const colours = 10

function readGuards(routes: readonly Route[]): Map<string, Guard> {
  const counts = countNames(routes.map(({ guards }) => guards))
  return new Map([...counts].map(([name, times], index) => [name, { name, routes: times, colour: index % colours }]))
}

function readNodes({ path, providers, classes }: PluginExplanation): WiringNode[] {
  const node = (kind: WiringNode['kind'], each: ConstructedExplanation, isPrivate: boolean): WiringNode => ({
    key: nodeKey(path, each.name),
    name: each.name,
    plugin: path,
    kind,
    lifetime: each.lifetime,
    isPrivate,
    needs: each.needs,
  })
  return [...classes.map((each) => node('class', each, false)), ...providers.map((each) => node('provider', each, each.isPrivate))]
}

/** Returns the node of the class that answers a route; `undefined` if a function does. */
export function classOfRoute({ nodes }: Model, { place }: RouteExplanation): WiringNode | undefined {
  return nodes.get(place) ?? nodes.get(place.slice(0, Math.max(0, place.lastIndexOf('.'))))
}

/** Reads the text of `alcove explain --json`. @throws Error that says what the text is instead */
export function readDocument(text: string): ExplanationDocument {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    throw new Error('The file is not JSON. Choose a file that alcove explain --json wrote.')
  }
  const document = (typeof read === 'object' && read !== null ? read : {}) as Partial<ExplanationDocument>
  if (!Array.isArray(document.routes) || typeof document.root !== 'object')
    throw new Error('The file is not an explanation of an application. Choose a file that alcove explain --json wrote.')
  if (document.version !== 1) throw new Error('The file has another version than 1. Write it again with the alcove of this page.')
  return document as ExplanationDocument
}
