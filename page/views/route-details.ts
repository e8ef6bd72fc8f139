/** One route: what a request passes, its schemas, and what it sees and hides. */
import type { RouteExplanation } from '../../decorators/tools/explanation.js'
import { type Change, mergeHooks, securityText } from '../data/compare.js'
import { count, element } from '../dom.js'
import { classOfRoute, type Hook, hookName, isGuard, type Route } from '../data/model.js'
import { drawGuard, drawMark, drawMethods, drawPath, drawUrl, guardOf } from './route-list.js'
import { drawSchema, sharedSchemas } from './schema-view.js'
import type { Page } from '../state.js'

export function drawRoute(page: Page, route: Route): HTMLElement {
  const { model, comparison } = page.state
  const { explained } = route
  const { methods, url, docs, deprecated } = explained
  const change = comparison?.routes.get(route.title)
  const old = comparison?.old.byTitle.get(route.title)?.explained
  const node = classOfRoute(model, explained)
  return element(
    'article.details',
    { 'aria-label': route.title },
    element('button.back', { type: 'button', onclick: () => page.go({ route: undefined }) }, '← Routes'),
    element(
      'h1',
      {},
      drawMethods(methods),
      ' ',
      element('span.url', {}, ...drawUrl(url)),
      deprecated && element('span.tag', {}, 'deprecated'),
    ),
    typeof docs.summary === 'string' && element('p.summary', {}, docs.summary),
    element(
      'p.place',
      {},
      element('span.soft', {}, 'in '),
      ...drawPath(explained.context),
      element('span.soft', {}, ', answered by '),
      element('code', {}, handlerOf(explained)),
      node !== undefined &&
        element('button.link', { type: 'button', onclick: () => page.go({ view: 'wiring', node: node.key }) }, 'Show in the wiring'),
    ),
    change !== undefined && drawChange(change),
    section('A request, in order', drawOrder(page, explained, old)),
    ...facts(explained),
    drawInput(page, explained, old),
    drawResponses(page, explained, old),
    drawView(explained),
  )
}

function handlerOf({ place, context }: RouteExplanation): string {
  return place.startsWith(`${context} > `) ? place.slice(context.length + 3) : place
}

function section(title: string, ...content: readonly (HTMLElement | undefined | false)[]): HTMLElement {
  return element('section', {}, element('h2', {}, title), ...content)
}

export function drawChange({ mark, details, opens }: Change): HTMLElement {
  const heading = { gained: 'New: the old state does not have it', lost: 'Gone: only the old state has it', changed: 'Changed' }[mark]
  return element(
    `div.change.${mark}`,
    {},
    element('p', {}, drawMark(mark), element('b', {}, heading), opens && element('span.alarm', {}, 'may let in more requests')),
    details.length > 0 &&
      element(
        'ul',
        {},
        ...details.map((detail) => element(`li.${detail.mark}`, {}, drawMark(detail.mark), element('span', {}, detail.text))),
      ),
  )
}

/** The stages of a request. The steps without hooks are those of the framework. */
const stages = [
  'onRequest',
  'preParsing',
  'parsing',
  'preValidation',
  'validation',
  'preHandler',
  'around',
  'handler',
  'preSerialization',
  'onSend',
  'onResponse',
]

function drawOrder(page: Page, route: RouteExplanation, old: RouteExplanation | undefined): HTMLElement {
  const merged = mergeHooks(old?.hooks ?? route.hooks, route.hooks)
  const drawHook = ({ hook, mark }: (typeof merged)[number]): HTMLElement => {
    const name = hookName(hook)
    const guard = isGuard(hook) ? guardOf(page, name) : undefined
    return element(
      `li.step${mark === undefined ? '' : `.${mark}`}`,
      {},
      mark !== undefined && drawMark(mark),
      element('span.stage', {}, hook.hook),
      guard === undefined ? element('span.plain', {}, name) : drawGuard(guard),
      element('span.from', {}, ...drawSource(hook)),
    )
  }
  const known = new Set(stages)
  const steps = stages.flatMap((stage) => {
    if (stage === 'parsing')
      return route.input.body === undefined
        ? []
        : [element('li.step.own', {}, element('span.stage', {}, 'parsing'), element('span', {}, 'the body is read'))]
    if (stage === 'validation') return drawValidation(route)
    if (stage === 'handler')
      return [element('li.step.handler', {}, element('span.stage', {}, 'handler'), element('code', {}, handlerOf(route)))]
    return merged.filter(({ hook }) => hook.hook === stage).map(drawHook)
  })
  return element('ol.order', {}, ...steps, ...merged.filter(({ hook }) => !known.has(hook.hook)).map(drawHook))
}

function drawSource({ from }: Hook): (HTMLElement | string)[] {
  return from === 'route' ? ['this route'] : drawPath(from)
}

function drawValidation({ engines }: RouteExplanation): HTMLElement[] {
  const parts = Object.entries(engines).map(([part, engine]) => `${namesOfParts[part] ?? part} by ${engine}`)
  return parts.length === 0
    ? []
    : [element('li.step.own', {}, element('span.stage', {}, 'validation'), element('span', {}, parts.join(', ')))]
}

function facts(route: RouteExplanation): HTMLElement[] {
  const { limits, errorHandlers, schemaErrorFormatter, status } = route
  const named = (entries: readonly { readonly name: string; readonly from: string }[]): string =>
    entries.map(({ name, from }) => `${name} (${from})`).join(', then ')
  const rows: [string, string | undefined][] = [
    ['Authentication', securityText(route)],
    ['Errors go to', named(errorHandlers)],
    ['Schema errors', schemaErrorFormatter && named([schemaErrorFormatter])],
    ['Status of a reply', status === 200 ? '' : String(status)],
    ['Body limit', limits.bodyLimit === undefined ? '' : `${limits.bodyLimit.toLocaleString('en')} bytes`],
    ['Handler timeout', limits.handlerTimeout === undefined ? '' : `${limits.handlerTimeout.toLocaleString('en')} ms`],
  ]
  const shown = rows.filter(([, value]) => value)
  return shown.length === 0
    ? []
    : [element('dl.facts', {}, ...shown.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]))]
}

const namesOfParts: Readonly<Record<string, string>> = { params: 'path', querystring: 'query' }

type Part = readonly [name: string, schema: unknown]

function inputParts({ input }: RouteExplanation): Part[] {
  const { body = {}, ...parts } = input
  return [
    ...Object.entries(parts).map(([part, schema]): Part => [namesOfParts[part] ?? part, schema]),
    ...Object.entries(body).map(([type, schema]): Part => [`body ${type}`, schema]),
  ]
}

function drawInput(page: Page, route: RouteExplanation, old: RouteExplanation | undefined): HTMLElement | undefined {
  const before = old === undefined ? undefined : new Map(inputParts(old))
  const parts = inputParts(route)
  if (parts.length === 0) return section('Request', element('p.soft', {}, 'No part of the request has a schema.'))
  const shared = sharedSchemas(page.state.model, route.context)
  return section(
    'Request',
    ...parts.map(([name, schema]) =>
      drawSchema({ name, schema, shared, isOpen: true, ...(before?.has(name) === true && { old: before.get(name) }) }),
    ),
  )
}

function drawResponses(page: Page, { responses, context }: RouteExplanation, old: RouteExplanation | undefined): HTMLElement {
  const shared = sharedSchemas(page.state.model, context)
  const drawn = Object.entries(responses).flatMap(([status, { content, itemSchema, from, description, isUnknown }]) => {
    const before = old?.responses[status]
    const note = [description, from.every((place) => place === 'route') ? '' : `from ${from.join(', ')}`].filter(Boolean).join(' · ')
    // The errors of the framework itself are the same everywhere.
    const isOpen = from.includes('route') && Number(status[0]) < 4
    const parts: Part[] = [
      ...Object.entries(content).map(([type, schema]): Part => [`${status} ${type}`, schema]),
      ...(itemSchema === undefined ? [] : [[`${status} each item`, itemSchema] as Part]),
    ]
    if (parts.length === 0)
      return [
        element(
          'p.reply',
          {},
          element('b', {}, status),
          ` ${isUnknown === true ? 'payload not declared' : 'no body'}`,
          element('span.note', {}, note),
        ),
      ]
    return parts.map(([name, schema]) => {
      const counterpart = before?.content[name.slice(status.length + 1)]
      return drawSchema({ name, schema, shared, isOpen, note, ...(counterpart !== undefined && { old: counterpart }) })
    })
  })
  return section('Responses', ...drawn)
}

function drawView({ visible, hidden }: RouteExplanation): HTMLElement {
  const entries = ({ requestDecorators, providers }: RouteExplanation['visible']) => [
    ...requestDecorators.map(({ name, from }) => ({ name: `request.${name}`, from, scope: undefined })),
    ...providers,
  ]
  const drawList = (title: string, kind: string, listed: ReturnType<typeof entries>): HTMLElement =>
    element(
      `details.view.${kind}`,
      { open: listed.length <= 30 },
      element('summary', {}, element('h2', {}, title), element('span.number', {}, String(listed.length))),
      ...groupByPlace(listed).map(([from, group]) =>
        element(
          'div.from-group',
          {},
          element('h3', {}, ...drawPath(from)),
          element(
            'ul.names',
            {},
            ...group.map(({ name, scope }) => element('li', {}, element('code', {}, name), scope !== undefined && drawLifetime(scope))),
          ),
        ),
      ),
    )
  return element('div.views', {}, drawList('Sees', 'sees', entries(visible)), drawList('Hidden from it', 'hides', entries(hidden)))
}

function groupByPlace<T extends { readonly from: string }>(listed: readonly T[]): [string, T[]][] {
  const groups = new Map<string, T[]>()
  for (const entry of listed) {
    const group = groups.get(entry.from)
    if (group === undefined) groups.set(entry.from, [entry])
    else group.push(entry)
  }
  return [...groups]
}

export function drawLifetime(lifetime: string): HTMLElement {
  const known = ['context', 'request', 'transient'].includes(lifetime) ? lifetime : 'context'
  return element(`span.lifetime.${known}`, { title: meaningOf[known] }, lifetime)
}

const meaningOf: Readonly<Record<string, string>> = {
  context: 'one instance for the context',
  request: 'one instance for each request',
  transient: 'one instance for each class that injects it',
}

/** Draws the panel beside the list while no route is chosen. */
export function drawOverview({ state: { model } }: Page): HTMLElement {
  const unguarded = model.routes.filter(({ guards }) => guards.length === 0).length
  const providers = [...model.nodes.values()].filter(({ kind }) => kind === 'provider').length
  return element(
    'div.overview',
    {},
    element('h1', {}, model.document.root.name),
    element(
      'dl.numbers',
      {},
      ...[
        ['routes', model.routes.length],
        ['without a guard', unguarded],
        ['contexts', model.contexts.length],
        ['providers', providers],
      ].flatMap(([name, value]) => [element('div', {}, element('dd', {}, value!.toLocaleString('en')), element('dt', {}, String(name)))]),
    ),
    element(
      'p.soft',
      {},
      `Choose a route to see what a request passes, and what the route sees. ${count(model.guards.size, 'guard')} run before the handlers.`,
    ),
    element(
      'dl.keys',
      {},
      ...[
        ['/', 'search'],
        ['↑ ↓', 'move in the list'],
        ['Enter', 'open'],
        ['Esc', 'close, or clear the search'],
      ].flatMap(([key, text]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, text)]),
    ),
  )
}
