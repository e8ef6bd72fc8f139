/** `explain`: the contexts and routes of a server, and for each route its hooks and the decorators and providers that it sees. */
import { type ContextDescription, describeContexts, type RouteDescription, type Server } from '../../lib/index.js'
import { tokenName } from '../declare/tokens.js'
import { type Application, applicationOf } from '../run/bootstrap.js'
import { allPlugins, ancestors, type PluginNode } from '../wiring/nodes.js'
import type { ProviderRecord } from '../wiring/provider-record.js'
import { drawPage } from './explain-page.js'
import { deprecationOf, namesOfHandlers, namesOfUsed, responsesOf, securityOf, routeHeading, validatedParts } from './explain-texts.js'
import type { ContextUse, PluginUse, RouteExplanation } from './explanation.js'

/** A description of a server, as text for terminals, JSON for tools or a page for browsers. */
export interface Explanation {
  /** The version of the form of this data. Within a version members may be added, and none is changed or removed. */
  readonly version: 1
  /** The root context, with the contexts below it. */
  readonly root: ContextDescription
  /** All routes, except HEAD routes that were added with GET routes. */
  readonly routes: readonly RouteExplanation[]
  /** The plugins that import a plugin of which their context or an ancestor shares an instance, and so make no instance of it. */
  readonly uses: readonly PluginUse[]
  /** Finds a route by its declared URL (`/users/:id`), or by method and URL (`GET /users/:id`). @throws TypeError if there is none */
  route(declared: string): RouteExplanation
  /** Returns the tree of contexts with their routes, as text. */
  toString(): string
  /** Returns the plain data for `JSON.stringify(explain(server))`. */
  toJSON(): { version: 1; root: ContextDescription; routes: readonly RouteExplanation[]; uses: readonly PluginUse[] }
  /** Returns a complete HTML page without external resources: contexts as nested boxes, and details of the route that a reader chooses. */
  toHTML(): string
}

/**
 * Describes a server that is ready: its contexts, and for each route its hooks and the decorators and providers that it sees.
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
  const routes = contexts.flatMap((context) =>
    context.routes.filter((route) => !route.isAutomatic).map((route) => explainRoute(route, context, contexts, application)),
  )
  const uses = application === undefined ? [] : allPlugins(application.root).flatMap(importUses)
  const version = 1
  return {
    version,
    root,
    routes,
    uses: uses.map(({ plugin, by }) => ({ plugin, by })),
    route(declared) {
      const found = routes.find((route) => route.url === declared || routeHeading(route, false) === declared)
      if (found === undefined)
        throw new TypeError(`There is no route '${declared}'. Routes are: ${routes.map((route) => routeHeading(route, false)).join(', ')}.`)
      return found
    },
    toString: () => contextAsText(root, uses).join('\n'),
    toJSON: () => ({ version, root, routes, uses: uses.map(({ plugin, by }) => ({ plugin, by })) }),
    toHTML: () => drawPage(root, routes, uses),
  }
}

function importUses(plugin: PluginNode): ContextUse[] {
  const context = contextPathOf(plugin.contextOwner)
  return plugin.uses.map((used) => ({ plugin: used.path, by: plugin.path, context }))
}

function contextsBelow(context: ContextDescription): ContextDescription[] {
  return [context, ...context.children.flatMap(contextsBelow)]
}

function explainRoute(
  route: RouteDescription,
  context: ContextDescription,
  contexts: readonly ContextDescription[],
  application: Application | undefined,
): RouteExplanation {
  const isAbove = (path: string): boolean => context.path === path || context.path.startsWith(`${path} > `)
  const decorators = contexts.flatMap(({ path, requestDecorators }) => requestDecorators.map((name) => ({ name, from: path })))
  const providers = application === undefined ? [] : allProviders(application, context.path, route)
  const explanation = {
    ...route,
    visible: {
      requestDecorators: decorators.filter(({ from }) => isAbove(from)),
      providers: providers.filter((entry) => entry.isVisible).map(withoutFlag),
    },
    hidden: {
      requestDecorators: decorators.filter(({ from }) => !isAbove(from)),
      providers: providers.filter((entry) => !entry.isVisible).map(withoutFlag),
    },
  }
  return Object.defineProperty(explanation, 'toString', { value: () => describeAsText(explanation) })
}

function withoutFlag({ isVisible: _isVisible, ...entry }: { name: string; from: string; scope: string; isVisible: boolean }): {
  name: string
  from: string
  scope: string
} {
  return entry
}

function allProviders(
  { root, wiring }: Application,
  contextPath: string,
  { place }: RouteDescription,
): { name: string; from: string; scope: string; isVisible: boolean }[] {
  const plugins = allPlugins(root)
  const declaring = plugins.find((plugin) => plugin.routes.some(({ path }) => path === place))
  const contextOwners = new Set(plugins.map((plugin) => plugin.contextOwner))
  const here = [...contextOwners].find((plugin) => contextPathOf(plugin) === contextPath)
  const seen = new Set(here === undefined ? [] : ancestors(here).map((plugin) => plugin.contextOwner))
  const describe = (record: ProviderRecord, isVisible: boolean) => ({
    name: tokenName(record.token),
    from: record.plugin.path,
    scope: record.scope,
    isVisible,
  })
  return [
    ...[...wiring.privateProviders].flatMap(([plugin, records]) =>
      [...records.values()].map((record) => describe(record, plugin === declaring)),
    ),
    ...[...wiring.providers].flatMap(([owner, records]) => [...records.values()].map((record) => describe(record, seen.has(owner)))),
  ]
}

// A shared plugin has no context, so it is not part of the path.
function contextPathOf(plugin: PluginNode): string {
  return plugin.parent === undefined ? plugin.name : `${contextPathOf(plugin.parent.contextOwner)} > ${plugin.name}`
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
    ...[deprecationOf(route) ?? []].flat(),
    ...sections.filter(([, lines]) => lines.length > 0).flatMap(([title, lines]) => ['', `${title}:`, ...lines]),
  ].join('\n')
}

function contextAsText(context: ContextDescription, uses: readonly ContextUse[]): string[] {
  const { name, prefix, requestDecorators, routes, children } = context
  const used = namesOfUsed(context, uses)
  const notes = [
    prefix && `prefix ${prefix}`,
    requestDecorators.length > 0 && `request.${requestDecorators.join(', request.')}`,
    used && `uses ${used}`,
    ...namesOfHandlers(context),
  ].filter(Boolean)
  const branches = [
    ...routes.filter((route) => !route.isAutomatic).map((route) => [`${routeHeading(route)}${route.deprecated ? '  (deprecated)' : ''}`]),
    ...children.map((child) => contextAsText(child, uses)),
  ]
  return [
    notes.length > 0 ? `${name}  (${notes.join('; ')})` : name,
    ...branches.flatMap((branch, index) => drawBranch(branch, index === branches.length - 1)),
  ]
}

function drawBranch(lines: readonly string[], isLast: boolean): string[] {
  return lines.map((line, index) => (index === 0 ? (isLast ? '└── ' : '├── ') : isLast ? '    ' : '│   ') + line)
}
