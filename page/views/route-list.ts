/** The list of routes by context, and beside it the contexts and guards that limit the list. */
import type { Mark } from '../data/compare.js'
import { count, element } from '../dom.js'
import { type Context, type Guard, isWithin, type Route } from '../data/model.js'
import type { Page, State } from '../state.js'

/** Returns the routes that the list shows, with those that only the old state has. */
export function shownRoutes({ model, comparison, query, context, hook }: State): Route[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const isShown = ({ text, guards, explained }: Route): boolean =>
    words.every((word) => text.includes(word)) &&
    (context === undefined || isWithin(explained.context, context)) &&
    (hook === undefined || (hook === 'none' ? guards.length === 0 : hasHook(explained, hook.name)))
  return [...model.routes, ...(comparison?.lost ?? [])].filter(isShown)
}

function hasHook({ hooks }: Route['explained'], wanted: string): boolean {
  return hooks.some(({ hook, name }) => name === wanted || name === `${wanted}.${hook}`)
}

/** Draws the contexts as a tree, and the guards with the number of their routes. */
export function drawFilters(page: Page): HTMLElement {
  const { model, hook } = page.state
  const unguarded = model.routes.filter(({ guards }) => guards.length === 0).length
  const choose = (chosen: State['hook']) => () => page.go({ hook: sameHook(hook, chosen) ? undefined : chosen })
  return element(
    'nav.filters',
    { 'aria-label': 'Contexts and guards' },
    element('h2', {}, 'Contexts'),
    element('ul.tree', {}, drawContext(page, model.document.root, 0)),
    element('h2', {}, 'Guards'),
    element(
      'ul.guards',
      {},
      ...[...model.guards.values()].map((guard) =>
        element(
          'li',
          {},
          element(
            'button.filter',
            { type: 'button', 'aria-pressed': String(sameHook(hook, { name: guard.name })), onclick: choose({ name: guard.name }) },
            drawGuard(guard),
            element('span.number', { 'aria-label': count(guard.routes, 'route') }, String(guard.routes)),
          ),
        ),
      ),
      element(
        'li',
        {},
        element(
          'button.filter',
          { type: 'button', 'aria-pressed': String(hook === 'none'), onclick: choose('none') },
          element('span.guard.none', {}, 'no guard'),
          element('span.number', { 'aria-label': count(unguarded, 'route') }, String(unguarded)),
        ),
      ),
    ),
    element('p.hint', {}, 'A guard is a hook that runs before the handler.'),
  )
}

function sameHook(one: State['hook'], other: State['hook']): boolean {
  return typeof one === 'object' && typeof other === 'object' ? one.name === other.name : one !== undefined && one === other
}

function drawContext(page: Page, context: Context, depth: number): HTMLElement {
  const { model, route, context: chosen } = page.state
  const shown = route === undefined ? undefined : model.byTitle.get(route)?.explained
  const relation = shown === undefined ? '' : isWithin(shown.context, context.path) ? 'seen' : 'hidden'
  const own = context.routes.filter(({ isAutomatic }) => !isAutomatic).length
  const label = relation === '' ? undefined : `${context.name}, ${relation === 'seen' ? 'seen by' : 'hidden from'} the chosen route`
  return element(
    'li',
    {},
    element(
      `button.filter${relation === '' ? '' : `.${relation}`}`,
      {
        type: 'button',
        'aria-pressed': String(chosen === context.path),
        'aria-label': label,
        title: context.path,
        onclick: () => page.go({ context: chosen === context.path ? undefined : context.path, route: undefined }),
      },
      element('span.name', {}, context.name),
      context.requestDecorators.length > 0 &&
        element(
          'span.note',
          { title: context.requestDecorators.join(', ') },
          `request.${context.requestDecorators[0]!}${context.requestDecorators.length > 1 ? ' …' : ''}`,
        ),
      own > 0 && element('span.number', {}, String(own)),
    ),
    context.children.length > 0 && element('ul', {}, ...context.children.map((child) => drawContext(page, child, depth + 1))),
  )
}

export function drawGuard({ name, colour }: Guard): HTMLElement {
  return element(`span.guard.g${colour}`, {}, name)
}

/** Draws the routes, grouped by context. */
export function drawRoutes(page: Page, routes: readonly Route[]): HTMLElement {
  const groups = new Map<string, Route[]>()
  for (const route of routes) {
    const { context } = route.explained
    const group = groups.get(context)
    if (group === undefined) groups.set(context, [route])
    else group.push(route)
  }
  const byPath = new Map(page.state.model.contexts.map((context) => [context.path, context]))
  return element(
    'div.groups',
    {},
    ...[...groups].map(([path, group]) =>
      element(
        'section.group',
        { 'aria-label': path },
        element('h2', {}, ...drawPath(path), byPath.get(path)?.prefix ? element('code', {}, byPath.get(path)!.prefix) : undefined),
        element('ul', {}, ...group.map((route) => element('li', {}, drawRow(page, route)))),
      ),
    ),
  )
}

/** Draws a path with its last name in full ink. */
export function drawPath(path: string): (HTMLElement | string)[] {
  const at = path.lastIndexOf(' > ')
  return at === -1 ? [path] : [element('span.above', {}, `${path.slice(0, at)} › `.replaceAll(' > ', ' › ')), path.slice(at + 3)]
}

function drawRow(page: Page, route: Route): HTMLElement {
  const { comparison, route: chosen } = page.state
  const { methods, url, constraints, deprecated } = route.explained
  const mark = comparison?.routes.get(route.title)?.mark
  return element(
    `button.item.row${mark === undefined ? '' : `.${mark}`}`,
    {
      type: 'button',
      tabindex: -1,
      'data-route': route.title,
      'aria-current': chosen === route.title ? 'true' : undefined,
      onclick: () => page.go({ route: route.title, view: page.state.view === 'changes' ? 'changes' : 'routes' }),
    },
    comparison !== undefined && (mark === undefined ? element('span.mark.none') : drawMark(mark)),
    drawMethods(methods),
    element('span.url', {}, ...drawUrl(url), constraints !== undefined && element('small', {}, ` ${JSON.stringify(constraints)}`)),
    deprecated && element('span.tag', {}, 'deprecated'),
    element('span.chips', {}, ...drawGuards(page, route)),
  )
}

function drawGuards(page: Page, route: Route): HTMLElement[] {
  return route.guards.length === 0
    ? [element('span.guard.none', {}, 'no guard')]
    : route.guards.map((name) => drawGuard(guardOf(page, name)))
}

/** Returns the guard of a name, which may be one that only the old state has. */
export function guardOf({ state: { model, comparison } }: Page, name: string): Guard {
  return model.guards.get(name) ?? comparison?.lostGuards.get(name) ?? { name, routes: 0, colour: 0 }
}

export function drawMethods(methods: readonly string[]): HTMLElement {
  const kind = methods.length > 1 ? 'many' : methods[0]!.toLowerCase()
  const known = ['get', 'post', 'put', 'patch', 'delete'].includes(kind) ? kind : 'other'
  return element(`span.method.m-${known}`, {}, methods.join(' '))
}

/** Draws a URL whose parameters are softer than its fixed parts. */
export function drawUrl(url: string): (HTMLElement | string)[] {
  return url
    .split(/(:[\w-]+|\*)/)
    .filter(Boolean)
    .map((part) => (/^(?::|\*$)/.test(part) ? element('span.parameter', {}, part) : part))
}

const wordsOfMarks: Readonly<Record<Mark, [sign: string, word: string]>> = {
  gained: ['+', 'gained'],
  lost: ['−', 'lost'],
  changed: ['~', 'changed'],
}

export function drawMark(mark: Mark): HTMLElement {
  const [sign, word] = wordsOfMarks[mark]
  return element(`span.mark.${mark}`, { title: word, 'aria-label': word, role: 'img' }, sign)
}
