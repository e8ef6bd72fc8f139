/**
 * `explain`: describes the contexts and routes of a server, and for each route its hooks and the decorators and providers that the route
 * sees.
 */
import { type ContextDescription, describeContexts, type RouteDescription, type Server } from '../../lib/index.js'
import { tokenName } from '../declare/tokens.js'
import { type Application, applicationOf } from '../run/bootstrap.js'
import { allPlugins, ancestors, contextPathOf, type PluginNode } from '../wiring/nodes.js'
import type { ProviderRecord } from '../wiring/provider-record.js'
import { writePage } from './explain-page.js'
import { deprecationText, namesOfHandlers, namesOfUsed, responsesOf, securityOf, routeHeading, validatedParts } from './explain-texts.js'
import { explainPlugins } from './explain-wiring.js'
import type { ContextUse, ExplanationDocument, PluginExplanation, PluginUse, RouteExplanation } from './explanation.js'

/** A description of a server, as text for terminals, JSON for tools or a page for browsers. */
export interface Explanation {
  /** The version of the data's format. Within a version, members may be added, but none is changed or removed. */
  readonly version: 1
  /** The root context, which contains the other contexts. */
  readonly root: ContextDescription
  /** All routes, except HEAD routes that were added to GET routes. */
  readonly routes: readonly RouteExplanation[]
  /**
   * The imports for which no plugin instance was made, because the importing plugin uses an instance that its context or an ancestor
   * shares.
   */
  readonly uses: readonly PluginUse[]
  /**
   * The plugin classes with their providers and constructed classes, each before the plugins that it imports. Empty for a server of
   * `createServer`.
   */
  readonly plugins: readonly PluginExplanation[]
  /**
   * Finds a route by its declared URL (`/users/:id`), by method and URL (`GET /users/:id`), or by the line that the tree has for it, with
   * its constraints. @throws TypeError if there is no such route, or if several routes have this name
   */
  route(declared: string): RouteExplanation
  /** Returns the tree of contexts with their routes, as text. */
  toString(): string
  /** Returns the explanation as plain data; `JSON.stringify` calls this method. */
  toJSON(): ExplanationDocument
  /**
   * Returns a complete HTML page without external resources: the routes with their guards, their schemas and the decorators and providers
   * that they see, and the graph of the wiring.
   * @param old an earlier explanation of the application, with which the page compares this explanation
   */
  toHTML(old?: ExplanationDocument): string
}

/**
 * Describes a server that is ready: its contexts, and for each route its hooks and the decorators and providers that the route sees.
 * Providers are listed only for servers made by `bootstrap` or `testServer`.
 * ```ts
 * console.log(String(explain(server)))
 * console.log(String(explain(server).route('GET /two')))
 * ```
 */
export function explain(server: Server): Explanation {
  const root = describeContexts(server)
  const contexts = contextsBelow(root)
  const application = applicationOf(server)
  const viewOf = application === undefined ? () => noProviders : providerViews(application)
  const routes = contexts.flatMap((context) => {
    const decorators = decoratorView(context, contexts)
    return context.routes
      .filter((route) => !route.isAutomatic)
      .map((route) => explainRoute(route, decorators, viewOf(context.path, route.place)))
  })
  const uses = application === undefined ? [] : allPlugins(application.root).flatMap(importUses)
  const plugins = application === undefined ? [] : explainPlugins(application)
  const document: ExplanationDocument = { version: 1, root, routes, uses: uses.map(({ plugin, by }) => ({ plugin, by })), plugins }
  const asText = (): string => contextAsText(root, uses, plugins).join('\n')
  return {
    ...document,
    route: (declared) => findRoute(declared, routes),
    toString: asText,
    toJSON: () => document,
    toHTML: (old) => writePage(document, asText(), old),
  }
}

function findRoute(declared: string, routes: readonly RouteExplanation[]): RouteExplanation {
  const headings = (some: readonly RouteExplanation[]): string => some.map((route) => routeHeading(route)).join(', ')
  const exact = routes.filter((route) => routeHeading(route) === declared)
  const found = exact.length > 0 ? exact : routes.filter((route) => namesOf(route).includes(declared))
  if (found.length > 1) throw new TypeError(`'${declared}' names ${found.length} routes: ${headings(found)}. Write one of these.`)
  if (found[0] !== undefined) return found[0]
  throw new TypeError(
    `There is no route '${declared}'. ${routes.length === 0 ? 'The server has no routes.' : `Routes are: ${headings(routes)}.`}`,
  )
}

/** Returns the names by which a route is found. Several routes may have the same URL; only one of them has a constraint in its heading. */
function namesOf(route: RouteExplanation): string[] {
  return [routeHeading(route), routeHeading(route, false), ...route.methods.map((method) => `${method} ${route.url}`), route.url]
}

function importUses(plugin: PluginNode): ContextUse[] {
  const context = contextPathOf(plugin.contextOwner)
  return plugin.uses.map((used) => ({ plugin: used.path, by: plugin.path, context }))
}

function contextsBelow(context: ContextDescription): ContextDescription[] {
  return [context, ...context.children.flatMap(contextsBelow)]
}

/** Declarations (decorators or providers), divided into those that a route sees and those that the route does not see. */
interface View<T> {
  readonly visible: readonly T[]
  readonly hidden: readonly T[]
}

type ProviderEntry = RouteExplanation['visible']['providers'][number]

const noProviders: View<ProviderEntry> = { visible: [], hidden: [] }

function decoratorView(context: ContextDescription, contexts: readonly ContextDescription[]): View<{ name: string; from: string }> {
  const isAbove = (path: string): boolean => context.path === path || context.path.startsWith(`${path} > `)
  const decorators = contexts.flatMap(({ path, requestDecorators }) => requestDecorators.map((name) => ({ name, from: path })))
  return { visible: decorators.filter(({ from }) => isAbove(from)), hidden: decorators.filter(({ from }) => !isAbove(from)) }
}

function explainRoute(
  route: RouteDescription,
  decorators: View<{ name: string; from: string }>,
  providers: View<ProviderEntry>,
): RouteExplanation {
  const explanation = {
    ...route,
    visible: { requestDecorators: decorators.visible, providers: providers.visible },
    hidden: { requestDecorators: decorators.hidden, providers: providers.hidden },
  }
  return Object.defineProperty(explanation, 'toString', { value: () => describeAsText(explanation) })
}

/**
 * Returns a function that returns the visible and hidden providers of a route. All routes of one plugin in one context have the same ones.
 */
function providerViews({ root, wiring }: Application): (contextPath: string, place: string) => View<ProviderEntry> {
  const plugins = allPlugins(root)
  const declaring = new Map(plugins.flatMap((plugin) => plugin.routes.map(({ path }) => [path, plugin] as const)).toReversed())
  const owners = new Map(plugins.map(({ contextOwner }) => [contextPathOf(contextOwner), contextOwner] as const).toReversed())
  const views = new Map<string, View<ProviderEntry>>()
  const describe = (record: ProviderRecord): ProviderEntry => ({
    name: tokenName(record.token),
    from: record.plugin.path,
    scope: record.scope,
  })
  const viewOf = (here: PluginNode | undefined, plugin: PluginNode | undefined): View<ProviderEntry> => {
    const seen = new Set(here === undefined ? [] : ancestors(here).map(({ contextOwner }) => contextOwner))
    const parted: { visible: ProviderEntry[]; hidden: ProviderEntry[] } = { visible: [], hidden: [] }
    for (const [owner, records] of wiring.privateProviders)
      for (const record of records.values()) parted[owner === plugin ? 'visible' : 'hidden'].push(describe(record))
    for (const [owner, records] of wiring.providers)
      for (const record of records.values()) parted[seen.has(owner) ? 'visible' : 'hidden'].push(describe(record))
    return parted
  }
  return (contextPath, place) => {
    const plugin = declaring.get(place)
    const key = `${contextPath}\n${plugin === undefined ? '' : plugins.indexOf(plugin)}`
    let view = views.get(key)
    if (view === undefined) views.set(key, (view = viewOf(owners.get(contextPath), plugin)))
    return view
  }
}

function describeAsText(route: Omit<RouteExplanation, 'toString'>): string {
  const names = (entries: readonly { name: string; from: string }[]): string[] => entries.map(({ name, from }) => `  ${name}  (${from})`)
  const sections: [string, string[]][] = [
    ['hooks, in order', route.hooks.map(({ hook, name, from }) => `  ${hook}  ${name}  (${from})`)],
    ['error handlers, nearest first', names(route.errorHandlers)],
    ['schema error formatter', names(route.schemaErrorFormatter === undefined ? [] : [route.schemaErrorFormatter])],
    ['authentication', securityOf(route).map((text) => `  ${text}`)],
    ['validated', validatedParts(route).length > 0 ? [`  ${validatedParts(route).join(', ')}`] : []],
    ['responses', names(responsesOf(route))],
    ['request decorators it sees', names(route.visible.requestDecorators)],
    ['providers it sees', names(route.visible.providers)],
    ['hidden from it', names([...route.hidden.requestDecorators, ...route.hidden.providers])],
  ]
  return [
    routeHeading(route),
    `in ${route.context}, answered by ${route.place}`,
    ...[deprecationText(route) ?? []].flat(),
    ...sections.filter(([, lines]) => lines.length > 0).flatMap(([title, lines]) => ['', `${title}:`, ...lines]),
  ].join('\n')
}

function contextAsText(context: ContextDescription, uses: readonly ContextUse[], plugins: readonly PluginExplanation[]): string[] {
  const { path, name, prefix, requestDecorators, routes, children } = context
  const used = namesOfUsed(context, uses)
  const notes = [
    prefix && `prefix ${prefix}`,
    requestDecorators.length > 0 && `request.${requestDecorators.join(', request.')}`,
    used && `uses ${used}`,
    ...namesOfHandlers(context),
  ].filter(Boolean)
  const branches = [
    ...routes.filter((route) => !route.isAutomatic).map((route) => [`${routeHeading(route)}${route.deprecated ? '  (deprecated)' : ''}`]),
    ...plugins
      .filter((plugin) => plugin.context === path)
      .flatMap(({ jobs }) => jobs.map((job) => [`job ${job.name}  (${job.kind} ${job.when})`])),
    ...children.map((child) => contextAsText(child, uses, plugins)),
  ]
  return [
    notes.length > 0 ? `${name}  (${notes.join('; ')})` : name,
    ...branches.flatMap((branch, index) => drawBranch(branch, index === branches.length - 1)),
  ]
}

function drawBranch(lines: readonly string[], isLast: boolean): string[] {
  return lines.map((line, index) => (index === 0 ? (isLast ? '└── ' : '├── ') : isLast ? '    ' : '│   ') + line)
}
