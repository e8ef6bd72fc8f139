/** The graph of the wiring as data: which nodes are drawn, and which of them need each other. */
import { around, type Edge } from './layout.js'
import { classOfRoute, type Model, nodeKey, type WiringNode } from './model.js'

/** A box of the graph. */
export interface Box {
  readonly key: string
  readonly label: string
  /** The second line: the plugin, or the number of parts. */
  readonly note: string
  readonly kind: 'route' | 'class' | 'provider' | 'plugin'
  readonly lifetime?: WiringNode['lifetime']
}

export interface Graph {
  readonly boxes: readonly Box[]
  readonly edges: readonly Edge[]
  /** How many boxes are not drawn, because there are too many. */
  readonly left: number
}

/** At most this many boxes are drawn around the chosen one. */
const mostBoxes = 80
/** An application with more providers and classes is drawn by its plugins. */
const mostNodes = 48

const routePrefix = 'route '
const isRoute = (key: string): boolean => key.startsWith(routePrefix)

export function routeKey(title: string): string {
  return routePrefix + title
}

/** Returns what a box of this model needs, from each provider and class to another, and from each route to its class. */
export function edgesOf(model: Model): Edge[] {
  const needs = [...model.nodes.values()].flatMap(({ key, needs }) =>
    needs.flatMap(({ name, from }) => {
      const to = from === undefined ? undefined : nodeKey(from, name)
      return to !== undefined && model.nodes.has(to) && to !== key ? [{ from: key, to }] : []
    }),
  )
  const answers = model.routes.flatMap(({ title, explained }) => {
    const node = classOfRoute(model, explained)
    return node === undefined ? [] : [{ from: routeKey(title), to: node.key }]
  })
  return [...new Map([...answers, ...needs].map((edge) => [`${edge.from}\n${edge.to}`, edge])).values()]
}

/** Returns the graph around a box; without a box that of the whole application. */
export function graphAround(model: Model, edges: readonly Edge[], chosen: string | undefined): Graph {
  if (chosen !== undefined && model.nodes.has(chosen)) {
    const { columns, left } = around(chosen, edges, mostBoxes)
    return { ...within(model, edges, [...columns.keys()]), left }
  }
  const plugin = chosen === undefined ? undefined : model.plugins.find(({ path }) => path === chosen)
  if (plugin !== undefined) {
    const own = [...model.nodes.values()].filter((node) => node.plugin === chosen).map(({ key }) => key)
    const needed = edges
      .filter(({ from, to }) => own.includes(from) || (own.includes(to) && !isRoute(from)))
      .flatMap(({ from, to }) => [from, to])
    const keys = [...new Set([...own, ...needed])].filter((key) => !isRoute(key))
    return { ...within(model, edges, keys.slice(0, mostBoxes)), left: Math.max(0, keys.length - mostBoxes) }
  }
  const connected = new Set(edges.filter(({ from }) => !isRoute(from)).flatMap(({ from, to }) => [from, to]))
  const answering = new Set(edges.filter(({ from }) => isRoute(from)).map(({ to }) => to))
  const shown = [...model.nodes.values()].filter(({ key, kind }) => kind === 'provider' || connected.has(key) || answering.has(key))
  return shown.length <= mostNodes
    ? {
        ...within(
          model,
          edges,
          shown.map(({ key }) => key),
        ),
        left: 0,
      }
    : graphOfPlugins(model, edges)
}

function within(model: Model, edges: readonly Edge[], keys: readonly string[]): Pick<Graph, 'boxes' | 'edges'> {
  const drawn = new Set(keys)
  const routes = new Map<string, number>()
  for (const { from, to } of edges) if (isRoute(from)) routes.set(to, (routes.get(to) ?? 0) + 1)
  return {
    boxes: keys.map((key) => boxOf(model, key, routes.get(key) ?? 0)),
    edges: edges.filter(({ from, to }) => drawn.has(from) && drawn.has(to)),
  }
}

function boxOf({ nodes }: Model, key: string, routes: number): Box {
  const node = nodes.get(key)
  if (node === undefined) return { key, label: key.slice(routePrefix.length), note: 'route', kind: 'route' }
  const { name, plugin, kind, lifetime, isPrivate } = node
  const facts = [...(isPrivate ? ['private'] : []), ...(routes === 0 ? [] : [routes === 1 ? '1 route' : `${routes} routes`])]
  return { key, label: name, note: [plugin.split(' > ').at(-1)!, ...facts].join(', '), kind, lifetime }
}

function graphOfPlugins({ plugins, nodes }: Model, edges: readonly Edge[]): Graph {
  const pluginOf = (key: string): string | undefined => nodes.get(key)?.plugin
  const crossing = edges.flatMap(({ from, to }) => {
    const [one, other] = [pluginOf(from), pluginOf(to)]
    return one === undefined || other === undefined || one === other ? [] : [{ from: one, to: other }]
  })
  const unique = [...new Map(crossing.map((edge) => [`${edge.from}\n${edge.to}`, edge])).values()]
  const linked = new Set(unique.flatMap(({ from, to }) => [from, to]))
  const paths = [...new Map(plugins.filter(({ path }) => linked.has(path)).map((plugin) => [plugin.path, plugin])).values()]
  const drawn = paths.slice(0, mostBoxes)
  const keys = new Set(drawn.map(({ path }) => path))
  return {
    boxes: drawn.map(({ path, providers, classes }) => ({
      key: path,
      label: path.split(' > ').at(-1)!,
      note: `${providers.length} providers, ${classes.length} classes`,
      kind: 'plugin' as const,
    })),
    edges: unique.filter(({ from, to }) => keys.has(from) && keys.has(to)),
    left: paths.length - drawn.length,
  }
}
