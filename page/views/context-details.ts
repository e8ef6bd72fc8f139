/** One context: what it adds for its routes and for the contexts below it. */
import { count, element } from '../dom.js'
import type { Context } from '../data/model.js'
import type { Page } from '../state.js'
import { drawPath } from './route-list.js'
import { drawSchema, sharedSchemas } from './schema-view.js'

export function drawContextDetails(page: Page, context: Context): HTMLElement {
  const { model } = page.state
  const { path, prefix, requestDecorators, replyDecorators, contentTypeParsers, notFoundHandler, routes, children } = context
  const plugins = model.plugins.filter((plugin) => plugin.context === path)
  const own = new Set(plugins.map((plugin) => plugin.path))
  const used = model.document.uses.filter(({ by }) => own.has(by)).map(({ plugin }) => plugin)
  const rows: [string, string][] = [
    ['Prefix', prefix],
    ['Adds to requests', requestDecorators.map((name) => `request.${name}`).join(', ')],
    ['Adds to replies', replyDecorators.map((name) => `reply.${name}`).join(', ')],
    ['Parses', contentTypeParsers.map(({ type, name }) => `${type} by ${name}`).join(', ')],
    ['Unknown paths', notFoundHandler ?? ''],
    [
      'Shared plugins in it',
      plugins
        .filter(({ isShared }) => isShared)
        .map((plugin) => plugin.path)
        .join(', '),
    ],
    ['Uses', [...new Set(used)].join(', ')],
  ]
  const shown = rows.filter(([, value]) => value !== '')
  const schemas = Object.entries(context.ownSchemas ?? {})
  const shared = sharedSchemas(model, path)
  return element(
    'article.details',
    { 'aria-label': path },
    element('button.back', { type: 'button', onclick: () => page.go({ context: undefined }) }, '← Routes'),
    element('h1', {}, element('span', {}, ...drawPath(path))),
    element(
      'p.soft',
      {},
      `${count(routes.filter(({ isAutomatic }) => !isAutomatic).length, 'route')}, ${count(children.length, 'context')} below it`,
    ),
    shown.length > 0 && element('dl.facts', {}, ...shown.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])),
    schemas.length > 0 &&
      element(
        'section',
        {},
        element('h2', {}, 'Shared schemas that it adds'),
        ...schemas.map(([id, schema]) => drawSchema({ name: id, schema, shared, isOpen: schemas.length < 4 })),
      ),
  )
}
