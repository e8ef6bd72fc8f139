/** The page of `explain`: reads the data, draws the page and follows the reader. */
import type { ExplanationDocument } from '../decorators/tools/explanation.js'
import { type Packed, unpack } from '../decorators/tools/packed.js'
import { drawChanges, drawOther, drawSummary } from './views/changes-view.js'
import { compare } from './data/compare.js'
import { count, element } from './dom.js'
import { followKeys, moveTo } from './keys.js'
import { makeModel, readDocument } from './data/model.js'
import { drawContextDetails } from './views/context-details.js'
import { drawOverview, drawRoute } from './views/route-details.js'
import { drawFilters, drawRoutes, shownRoutes } from './views/route-list.js'
import { drawHits } from './views/search-hits.js'
import type { Page, State, View } from './state.js'
import { followTheme } from './theme.js'
import { drawGraph, drawPlugins } from './views/wiring-view.js'

function readData(id: string): ExplanationDocument | undefined {
  const packed = JSON.parse(document.getElementById(id)!.textContent) as Packed | null
  return packed === null ? undefined : (unpack(packed) as ExplanationDocument)
}

const model = makeModel(readData('now')!)
const old = readData('old')
const state: State = {
  model,
  comparison: old === undefined ? undefined : compare(makeModel(old), model),
  view: old === undefined ? 'routes' : 'changes',
  query: '',
  route: undefined,
  node: undefined,
  context: undefined,
  hook: undefined,
}
const page: Page = { state, go }

const search = element('input.search', {
  type: 'search',
  id: 'search',
  placeholder: 'Search routes, classes, hooks, providers',
  'aria-label': 'Search routes, classes, hooks and providers',
  'aria-keyshortcuts': '/',
  autocomplete: 'off',
  spellcheck: 'false',
  oninput: () => go({ query: search.value }),
}) as HTMLInputElement
const file = element('input.file', {
  type: 'file',
  accept: '.json,application/json',
  'aria-label': 'Compare with an earlier explanation, a file of alcove explain --json',
  onchange: () => void loadOld(),
}) as HTMLInputElement
const tabs = element('nav.tabs', { 'aria-label': 'Views' })
const status = element('p.status', { role: 'status' })
const filters = element('aside.side', {})
const list = element('main.list', { id: 'list', 'aria-label': 'List' })
const details = element('section.panel', { 'aria-label': 'Details', tabindex: -1 })

document.body.append(
  element('a.skip', { href: '#list' }, 'Skip to the list'),
  element(
    'header.bar',
    {},
    element('p.brand', {}, element('b', {}, model.document.root.name), element('span.soft', {}, count(model.routes.length, 'route'))),
    tabs,
    element('div.finder', {}, search, element('kbd', { 'aria-hidden': 'true' }, '/')),
    element('label.button', { title: 'Compare with an earlier explanation: a file that alcove explain --json wrote' }, 'Compare…', file),
    followTheme(),
  ),
  element('div.layout', {}, filters, list, details),
  status,
)
followKeys(page, { search, list })

function go(change: Partial<State>): void {
  const before = { ...state }
  Object.assign(state, change)
  if (search.value !== state.query) search.value = state.query
  drawAll(before)
  writeAddress()
}

function drawAll(before?: State): void {
  const { view, route, comparison } = state
  document.body.dataset['view'] = view
  document.body.dataset['open'] = String(view === 'wiring' ? state.node !== undefined : route !== undefined || state.node !== undefined)
  drawTabs()
  filters.replaceChildren(...(view === 'routes' ? [drawFilters(page)] : []))
  const isSameList =
    before !== undefined &&
    (['model', 'comparison', 'view', 'query', 'context', 'hook'] as const).every((key) => before[key] === state[key])
  // Only the marks of the chosen entry differ, and the reader keeps the place in the list.
  if (isSameList && view === 'routes') markChosen()
  else drawList(isSameList)
  const shown = route === undefined ? undefined : (state.model.byTitle.get(route) ?? comparison?.old.byTitle.get(route))
  const other = view === 'changes' && state.node !== undefined ? comparison?.changes.find(({ name }) => name === state.node) : undefined
  const context = state.model.contexts.find(({ path }) => path === state.context)
  if (view === 'wiring') details.replaceChildren(drawGraph(page))
  else if (other !== undefined) details.replaceChildren(drawOther(other))
  else if (shown !== undefined) details.replaceChildren(drawRoute(page, shown))
  else if (context !== undefined && view === 'routes') details.replaceChildren(drawContextDetails(page, context))
  else details.replaceChildren(view === 'changes' && comparison !== undefined ? drawSummary(comparison) : drawOverview(page))
  if (before?.route !== route || before?.view !== view) details.scrollTop = 0
}

function drawList(keepsPlace: boolean): void {
  const { view, comparison, query } = state
  const [place, focused] = [list.scrollTop, document.activeElement?.closest('.item')]
  const position = focused == null ? -1 : [...list.querySelectorAll('.item')].indexOf(focused)
  if (view === 'wiring') list.replaceChildren(drawPlugins(page))
  else if (view === 'changes' && comparison !== undefined) list.replaceChildren(drawChanges(page, comparison))
  else {
    const routes = shownRoutes(state)
    status.textContent = query === '' ? '' : `${count(routes.length, 'route')} found`
    list.replaceChildren(
      ...drawHits(page),
      routes.length === 0 ? element('p.empty', {}, 'No route matches. Press Escape to clear the search.') : drawRoutes(page, routes),
    )
  }
  if (keepsPlace) {
    list.scrollTop = place
    list.querySelectorAll<HTMLElement>('.item')[position]?.focus()
  } else list.scrollTop = 0
  moveTo(list, list.querySelector<HTMLElement>('.item[aria-current]') ?? list.querySelector<HTMLElement>('.item'))
}

function markChosen(): void {
  for (const row of list.querySelectorAll<HTMLElement>('.row')) {
    if (row.dataset['route'] === state.route) row.setAttribute('aria-current', 'true')
    else row.removeAttribute('aria-current')
  }
  const chosen = list.querySelector<HTMLElement>('.row[aria-current]')
  if (chosen !== null) moveTo(list, chosen)
}

function drawTabs(): void {
  const { comparison, view } = state
  const names: [View, string][] = [
    ['routes', 'Routes'],
    ['wiring', 'Wiring'],
  ]
  if (comparison !== undefined) names.push(['changes', `Changes ${comparison.changes.length}`])
  tabs.replaceChildren(
    ...names.map(([name, text]) =>
      element(
        'button',
        {
          type: 'button',
          'aria-current': view === name ? 'page' : undefined,
          onclick: () => openView(name),
        },
        text,
      ),
    ),
  )
}

function openView(view: View): void {
  status.textContent = ''
  go({ view, query: '', ...(view !== 'wiring' && { node: undefined }) })
}

/** Compares with the file that the reader chose. Nothing of it leaves the page. */
async function loadOld(): Promise<void> {
  const chosen = file.files?.[0]
  if (chosen === undefined) return
  try {
    const comparison = compare(makeModel(readDocument(await chosen.text())), state.model)
    status.textContent = `${count(comparison.changes.length, 'change')} since ${chosen.name}`
    go({ comparison, view: 'changes', route: undefined, node: undefined })
  } catch (error) {
    status.textContent = error instanceof TypeError ? 'The file is not an explanation that this page can read.' : (error as Error).message
  }
  file.value = ''
}

/** The address says what is chosen: `#routes/GET%20%2Fusers`. */
function writeAddress(): void {
  const chosen = state.view === 'wiring' ? state.node : state.route
  const address = `#${state.view}${chosen === undefined ? '' : `/${encodeURIComponent(chosen)}`}`
  if (location.hash !== address) history.pushState(null, '', address)
}

function readAddress(): void {
  const [, view, chosen] = /^#(routes|wiring|changes)(?:\/(.*))?$/.exec(location.hash) ?? []
  if (view === undefined || (view === 'changes' && state.comparison === undefined)) return
  const before = { ...state }
  state.view = view as View
  state[view === 'wiring' ? 'node' : 'route'] = chosen === undefined ? undefined : decode(chosen)
  drawAll(before)
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

addEventListener('popstate', readAddress)
drawAll()
readAddress()
