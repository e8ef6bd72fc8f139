/** What an application looks like: its contexts and routes, and for a route what it sees and what runs around it. */
import { type ContextDescription, describeContexts, type RouteDescription, type Server } from '../../lib/index.js'
import { type Application, applicationOf } from '../run/bootstrap.js'
import { drawPage } from './explain-page.js'
import type { RouteExplanation } from './explanation.js'
import { allPlugins, ancestors, type PluginNode } from '../wiring/module-tree.js'
import { tokenName } from '../declare/tokens.js'

/** A server, explained: text for terminals, JSON for tools, a page for browsers. */
export interface Explanation {
  /** The context of the server and those below it. */
  readonly root: ContextDescription
  /** All routes, but for HEAD routes made beside GET routes. */
  readonly routes: readonly RouteExplanation[]
  /** The route of a URL as declared (`/users/:id`), or of a method and URL (`GET /users/:id`). @throws TypeError when there is none */
  route(declared: string): RouteExplanation
  /** The tree of contexts with their routes. */
  toString(): string
  /** `JSON.stringify(explain(server))` */
  toJSON(): { root: ContextDescription; routes: readonly RouteExplanation[] }
  /** One self-contained page: rooms within rooms; choose a route and see what it sees. */
  toHTML(): string
}

/**
 * Explains a server that is ready: which contexts it has, what each of its routes sees and what runs around it. Providers are
 * listed for servers made by `bootstrap` or `testServer`.
 * ```ts
 * console.log(String(explain(server)))
 * console.log(String(explain(server).route('GET /two')))
 * ```
 */
export function explain(server: Server): Explanation {
  const root = describeContexts(server)
  const contexts = allContexts(root)
  const application = applicationOf(server)
  const routes = contexts.flatMap((context) =>
    context.routes.filter((route) => !route.isAutomatic).map((route) => explainRoute(route, context, contexts, application)),
  )
  return {
    root,
    routes,
    route(declared) {
      const found = routes.find((route) => route.url === declared || `${route.method} ${route.url}` === declared)
      if (found === undefined)
        throw new TypeError(
          `There is no route '${declared}'. Routes are: ${routes.map((route) => `${route.method} ${route.url}`).join(', ')}.`,
        )
      return found
    },
    toString: () => drawContext(root).join('\n'),
    toJSON: () => ({ root, routes }),
    toHTML: () => drawPage(root, routes),
  }
}

function allContexts(context: ContextDescription): ContextDescription[] {
  return [context, ...context.children.flatMap(allContexts)]
}

function explainRoute(
  route: RouteDescription,
  context: ContextDescription,
  contexts: readonly ContextDescription[],
  application: Application | undefined,
): RouteExplanation {
  const isAbove = (path: string): boolean => context.path === path || context.path.startsWith(`${path} > `)
  const decorators = contexts.flatMap(({ path, requestDecorators }) => requestDecorators.map((name) => ({ name, from: path })))
  const providers = application === undefined ? [] : allProviders(application, context.path)
  const explanation = {
    ...route,
    context: context.path,
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
): { name: string; from: string; scope: string; isVisible: boolean }[] {
  const homes = new Set(allPlugins(root).map((plugin) => plugin.contextOwner))
  const here = [...homes].find((plugin) => contextPathOf(plugin) === contextPath)
  const seen = new Set(here === undefined ? [] : ancestors(here).map((plugin) => plugin.contextOwner))
  return [...wiring.providers].flatMap(([home, records]) =>
    [...records.values()].map((record) => ({
      name: tokenName(record.token),
      from: record.plugin.path,
      scope: record.scope,
      isVisible: seen.has(home),
    })),
  )
}

// Shared plugins have no context of their own.
function contextPathOf(plugin: PluginNode): string {
  return plugin.parent === undefined ? plugin.name : `${contextPathOf(plugin.parent.contextOwner)} > ${plugin.name}`
}

function describeAsText(route: Omit<RouteExplanation, 'toString'>): string {
  const names = (entries: readonly { name: string; from: string }[]): string[] => entries.map(({ name, from }) => `  ${name}  (${from})`)
  const sections: [string, string[]][] = [
    ['hooks, in order', route.hooks.map(({ hook, name, from }) => `  ${hook}  ${name}  (${from})`)],
    ['validated', route.parts.length > 0 ? [`  ${route.parts.join(', ')}`] : []],
    ['serializers', route.responses.length > 0 ? [`  ${route.responses.join(', ')}`] : []],
    ['request decorators it sees', names(route.visible.requestDecorators)],
    ['providers it sees', names(route.visible.providers)],
    ['hidden from it', names([...route.hidden.requestDecorators, ...route.hidden.providers])],
  ]
  return [
    `${route.method} ${route.url}`,
    `in ${route.context}, answered by ${route.handler}`,
    ...sections.filter(([, lines]) => lines.length > 0).flatMap(([title, lines]) => ['', `${title}:`, ...lines]),
  ].join('\n')
}

function drawContext({ name, prefix, requestDecorators, routes, children }: ContextDescription): string[] {
  const notes = [prefix && `prefix ${prefix}`, requestDecorators.length > 0 && `request.${requestDecorators.join(', request.')}`].filter(
    Boolean,
  )
  const branches = [
    ...routes.filter((route) => !route.isAutomatic).map(({ method, url }) => [`${method} ${url}`]),
    ...children.map(drawContext),
  ]
  return [
    notes.length > 0 ? `${name}  (${notes.join('; ')})` : name,
    ...branches.flatMap((branch, index) => drawBranch(branch, index === branches.length - 1)),
  ]
}

function drawBranch(lines: readonly string[], isLast: boolean): string[] {
  return lines.map((line, index) => (index === 0 ? (isLast ? '└── ' : '├── ') : isLast ? '    ' : '│   ') + line)
}
