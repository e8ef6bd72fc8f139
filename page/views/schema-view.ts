/** Draws a schema as rows that can be closed, and as JSON. */
import { element } from '../dom.js'
import { isWithin, type Model } from '../data/model.js'
import { drawMark } from './route-list.js'
import { compareTrees, readSchema, type SchemaNode } from '../data/schema-tree.js'

interface Drawn {
  readonly name: string
  readonly schema: unknown
  readonly shared: ReadonlyMap<string, unknown>
  readonly isOpen: boolean
  readonly note?: string
  /** The schema of the old state, with which this one is compared. */
  readonly old?: unknown
}

/** Returns the shared schemas that a context sees, by `$id`. */
export function sharedSchemas({ contexts }: Model, path: string): ReadonlyMap<string, unknown> {
  // A file of an earlier version has none.
  return new Map(contexts.filter((context) => isWithin(path, context.path)).flatMap(({ ownSchemas }) => Object.entries(ownSchemas ?? {})))
}

export function drawSchema({ name, schema, shared, isOpen, note, old }: Drawn): HTMLElement {
  const now = readSchema(name, schema, shared)
  const tree = old === undefined ? now : compareTrees(readSchema(name, old, shared), now)
  const [first, ...rest] = name.split(' ')
  return element(
    'details.schema',
    { open: isOpen || hasMark(tree) },
    element(
      'summary',
      {},
      tree.mark !== undefined && drawMark(tree.mark),
      element('b', {}, first),
      rest.length > 0 && element('span.media', {}, rest.join(' ')),
      element('span.type', {}, tree.type),
      note !== undefined && note !== '' && element('span.note', {}, note),
    ),
    tree.description !== '' && element('p.about', {}, tree.description),
    tree.facts.length > 0 && element('p.about', {}, ...drawFacts(tree)),
    tree.children.length > 0 && element('ul.properties', {}, ...tree.children.map(drawNode)),
    drawJson(schema),
  )
}

function hasMark({ mark, children }: SchemaNode): boolean {
  return mark !== undefined || children.some(hasMark)
}

/** The JSON is made when it is opened: most readers of a route do not open it. */
function drawJson(schema: unknown): HTMLElement {
  const made = element('details.json', {}, element('summary', {}, 'JSON Schema'))
  made.addEventListener('toggle', () => {
    if (made.childElementCount === 1) made.append(element('pre', { tabindex: 0 }, JSON.stringify(schema, null, 2)))
  })
  return made
}

function drawNode(node: SchemaNode): HTMLElement {
  const { name, type, isRequired, description, children, mark } = node
  const line = [
    mark !== undefined && drawMark(mark),
    element('span.property', {}, name, !isRequired && element('span.optional', { title: 'optional', 'aria-label': ' (optional)' }, '?')),
    element('span.type', {}, type),
    ...drawFacts(node),
    description !== '' && element('span.about', {}, description),
  ]
  const className = mark === undefined ? '' : `.${mark}`
  if (children.length === 0) return element(`li.leaf${className}`, {}, ...line)
  return element(
    `li${className}`,
    {},
    element('details', { open: true }, element('summary', {}, ...line), element('ul.properties', {}, ...children.map(drawNode))),
  )
}

function drawFacts({ facts }: SchemaNode): HTMLElement[] {
  return facts.map((fact) => element('span.fact', {}, fact))
}
