/** The wiring: the plugins with their providers and classes, and the graph of which of them need each other. */
import type { Mark } from '../data/compare.js'
import { count, drawing, element } from '../dom.js'
import { type Box, edgesOf, graphAround, type Graph } from '../data/graph.js'
import { layOut } from '../data/layout.js'
import type { Model, WiringNode } from '../data/model.js'
import { drawLifetime } from './route-details.js'
import { drawMark, drawPath } from './route-list.js'
import type { Page } from '../state.js'

const [width, height, columnGap, rowGap, margin] = [178, 46, 54, 12, 20]

/** Draws the plugins with what they provide and construct. The search limits them. */
export function drawPlugins(page: Page): HTMLElement {
  const { model, query, node: chosen, comparison } = page.state
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const marks = new Map(comparison?.changes.filter(({ subject }) => subject !== 'route').map(({ name, mark }) => [name, mark]))
  const lostNodes =
    comparison?.changes
      .filter(({ subject, mark }) => subject === 'provider' && mark === 'lost')
      .map(({ name }) => comparison.old.nodes.get(name)!) ?? []
  const nodes = [...model.nodes.values(), ...lostNodes].filter(({ key }) => words.every((word) => key.toLowerCase().includes(word)))
  const groups = new Map<string, WiringNode[]>(words.length > 0 ? [] : model.plugins.map(({ path }) => [path, []]))
  for (const node of nodes) groups.set(node.plugin, [...(groups.get(node.plugin) ?? []), node])
  const item = (key: string, mark: Mark | undefined, ...content: (HTMLElement | string | false)[]): HTMLElement =>
    element(
      `button.item.node${mark === undefined ? '' : `.${mark}`}`,
      {
        type: 'button',
        tabindex: -1,
        'aria-current': chosen === key ? 'true' : undefined,
        onclick: () => page.go({ node: key, view: 'wiring' }),
      },
      mark !== undefined && drawMark(mark),
      ...content,
    )
  return element(
    'div.groups',
    {},
    ...[...groups].map(([path, group]) =>
      element(
        'section.group',
        { 'aria-label': path },
        element('h2', {}, item(path, marks.get(path), element('span.name', {}, ...drawPath(path)))),
        element(
          'ul',
          {},
          ...group
            .sort((one, other) => (one.kind === other.kind ? 0 : one.kind === 'provider' ? -1 : 1))
            .map((node) =>
              element(
                'li',
                {},
                item(
                  node.key,
                  marks.get(node.key),
                  element(`span.shape.${node.kind}.${node.lifetime}`, { 'aria-hidden': 'true' }),
                  element('span.name', {}, node.name),
                  node.kind === 'class' && element('span.note', {}, 'class'),
                  node.isPrivate && element('span.note', {}, 'private'),
                  drawLifetime(node.lifetime),
                ),
              ),
            ),
        ),
      ),
    ),
    groups.size === 0 &&
      element(
        'p.empty',
        {},
        model.plugins.length === 0
          ? 'The server was made without plugin classes, so that it has no wiring.'
          : 'No provider or class has this name.',
      ),
  )
}

const edgesOfModels = new WeakMap<Model, ReturnType<typeof edgesOf>>()

/** Draws the graph around the chosen provider, class or plugin; without one the graph of the application. */
export function drawGraph(page: Page): HTMLElement {
  const { model, node } = page.state
  let edges = edgesOfModels.get(model)
  if (edges === undefined) edgesOfModels.set(model, (edges = edgesOf(model)))
  const graph = graphAround(model, edges, node)
  return element(
    'div.wiring',
    {},
    element(
      'div.graph-head',
      {},
      element('h1', {}, ...(node === undefined ? [model.document.root.name] : drawPath(node))),
      node !== undefined &&
        element('button.link', { type: 'button', onclick: () => page.go({ node: undefined }) }, 'Show the whole application'),
      drawLegend(),
    ),
    graph.left > 0 &&
      element(
        'p.soft',
        {},
        `${count(graph.left, 'more box', 'more boxes')} would not fit. Choose one at the edge to see its surroundings.`,
      ),
    graph.boxes.length === 0
      ? element('p.empty', {}, 'No plugin needs a provider of another one. Choose a provider, a class or a plugin to see what it needs.')
      : drawBoxes(page, graph),
  )
}

function drawLegend(): HTMLElement {
  const entries = [
    ['context', 'one instance for a context'],
    ['request', 'one for each request'],
    ['transient', 'one for each class'],
  ] as const
  return element(
    'ul.legend',
    { 'aria-label': 'Lifetimes' },
    ...entries.map(([lifetime, text]) =>
      element('li', {}, element(`span.shape.provider.${lifetime}`, { 'aria-hidden': 'true' }), `${lifetime}: ${text}`),
    ),
  )
}

function drawBoxes(page: Page, { boxes, edges }: Graph): HTMLElement {
  const places = layOut(
    boxes.map(({ key }) => key),
    edges,
  )
  const leftOf = (key: string): number => margin + places.get(key)!.column * (width + columnGap)
  const topOf = (key: string): number => margin + places.get(key)!.row * (height + rowGap)
  const [right, bottom] = [
    Math.max(...boxes.map(({ key }) => leftOf(key))) + width + margin,
    Math.max(...boxes.map(({ key }) => topOf(key))) + height + margin,
  ]
  const lines = edges.map(({ from, to }) => {
    const [startX, startY, endX, endY] = [leftOf(from) + width, topOf(from) + height / 2, leftOf(to), topOf(to) + height / 2]
    const bend = Math.max(32, Math.abs(endX - startX) / 2)
    const isNear = from === page.state.node || to === page.state.node
    return drawing('path', {
      d: `M${startX} ${startY}C${startX + bend} ${startY} ${endX - bend} ${endY} ${endX} ${endY}`,
      class: isNear ? 'edge near' : 'edge',
      'marker-end': 'url(#arrow)',
    })
  })
  const arrow = drawing(
    'marker',
    { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
    drawing('path', { d: 'M0 1 7 4 0 7z', class: 'arrow' }),
  )
  const canvas = element(
    'div.canvas',
    {},
    drawing('svg', { width: right, height: bottom, 'aria-hidden': 'true' }, drawing('defs', {}, arrow), ...lines),
  )
  // The content security policy forbids styles in markup, and allows those that a script sets.
  canvas.style.width = `${right}px`
  canvas.style.height = `${bottom}px`
  for (const box of boxes) {
    const made = drawBox(page, box, edges)
    made.style.left = `${leftOf(box.key)}px`
    made.style.top = `${topOf(box.key)}px`
    canvas.append(made)
  }
  return element('div.scroll', { tabindex: 0, role: 'region', 'aria-label': 'Graph of the wiring' }, canvas)
}

function drawBox(page: Page, { key, label, note, kind, lifetime }: Box, edges: Graph['edges']): HTMLElement {
  const needs = edges.filter(({ from }) => from === key).length
  const neededBy = edges.filter(({ to }) => to === key).length
  const words = [label, kind, lifetime, note, `needs ${needs}`, `needed by ${neededBy}`].filter((word) => word !== undefined)
  return element(
    `button.box.${kind}${lifetime === undefined ? '' : `.${lifetime}`}`,
    {
      type: 'button',
      'aria-label': words.join(', '),
      'aria-current': key === page.state.node ? 'true' : undefined,
      title: key,
      onclick: () => (kind === 'route' ? page.go({ view: 'routes', route: label }) : page.go({ node: key })),
    },
    element('span.label', {}, label),
    element('span.note', {}, note),
  )
}
