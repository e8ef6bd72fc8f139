/** The hooks, providers and classes that a search finds, above the routes. */
import { element } from '../dom.js'
import { drawGuard, drawPath } from './route-list.js'
import { drawLifetime } from './route-details.js'
import type { Page } from '../state.js'

/** Of each kind at most this many are shown. */
const most = 6

export function drawHits(page: Page): HTMLElement[] {
  const { model, query } = page.state
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const matches = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  const hooks = [...model.hooks].filter(([name]) => matches(name))
  const nodes = [...model.nodes.values()].filter(({ name }) => matches(name))
  const providers = nodes.filter(({ kind }) => kind === 'provider')
  const classes = nodes.filter(({ kind }) => kind === 'class')
  const item = (open: () => void, ...content: (HTMLElement | string)[]): HTMLElement =>
    element('li', {}, element('button.item.hit', { type: 'button', tabindex: -1, onclick: open }, ...content))
  const drawNodes = (found: typeof nodes): HTMLElement[] =>
    found
      .slice(0, most)
      .map(({ key, name, plugin, lifetime }) =>
        item(
          () => page.go({ view: 'wiring', node: key, query: '' }),
          element('code', {}, name),
          element('span.note', {}, ...drawPath(plugin)),
          drawLifetime(lifetime),
        ),
      )
  const groups: [title: string, total: number, items: HTMLElement[]][] = [
    [
      'Hooks',
      hooks.length,
      hooks.slice(0, most).map(([name, routes]) => {
        const guard = model.guards.get(name)
        return item(
          () => page.go({ hook: { name }, query: '' }),
          guard === undefined ? element('code', {}, name) : drawGuard(guard),
          element('span.note', {}, `runs for ${routes} of ${model.routes.length} routes`),
        )
      }),
    ],
    ['Providers', providers.length, drawNodes(providers)],
    ['Classes', classes.length, drawNodes(classes)],
  ]
  return groups
    .filter(([, total]) => total > 0)
    .map(([title, total, items]) =>
      element(
        'section.group.hits',
        { 'aria-label': title },
        element('h2', {}, title, element('span.number', {}, total > most ? `${most} of ${total}` : String(total))),
        element('ul', {}, ...items),
      ),
    )
}
