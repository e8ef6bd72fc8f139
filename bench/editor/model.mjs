/** The interface that every client of the comparison is a client of: controllers of ten routes each, as JSON Schema. */

const ACTIONS = ['create', 'update', 'replace', 'publish', 'archive', 'restore', 'assign', 'review', 'copy', 'merge']
const METHODS = ['post', 'put', 'patch']

const text = { type: 'string' }
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', required, properties })

/** A controller and its routes. The names of some properties are its own, so that the types of no two controllers are the same. */
export function controllerOf(index) {
  const name = `resource${index}`
  const resource = object(
    {
      id: { type: 'integer' },
      name: text,
      email: text,
      role: { enum: ['admin', 'editor', 'reader'] },
      isActive: { type: 'boolean' },
      createdAt: text,
      tags: { type: 'array', items: text },
      address: object({ street: text, city: text, country: text, zip: text }, ['street', 'city', 'country']),
      score: { type: 'number' },
      [`code${index}`]: text,
    },
    ['id', 'name', 'email', 'role', 'isActive', 'createdAt', 'tags', 'address', `code${index}`],
  )
  const problem = object({ reason: { enum: ['missing', 'forbidden'] }, detail: text, [`trace${index}`]: text }, ['reason', 'detail'])
  const routes = ACTIONS.map((action, at) => ({
    action,
    method: METHODS[at % METHODS.length],
    path: `/:id/${action}`,
    params: object({ id: text }),
    query: object({ sort: { enum: ['ascending', 'descending'] }, page: text, filter: text }, ['sort']),
    body: object(
      {
        title: text,
        quantity: { type: 'integer' },
        kind: { enum: ['small', 'large'] },
        items: { type: 'array', items: object({ sku: text, count: { type: 'integer' }, note: text }, ['sku', 'count']) },
        [`${action}${index}`]: { type: 'boolean' },
      },
      ['title', 'quantity', 'kind', 'items'],
    ),
  }))
  return { name, Class: `Resource${index}`, index, resource, problem, routes }
}

export function controllers(count) {
  return Array.from({ length: count }, (_, index) => controllerOf(index))
}

/** The type of the values of a schema, as TypeScript. */
export function typeOf(schema) {
  if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ')
  if (schema.type === 'array') return `readonly ${wrapped(typeOf(schema.items))}[]`
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties).map(
      ([name, property]) => `${name}${schema.required.includes(name) ? '' : '?'}: ${typeOf(property)}`,
    )
    return `{ ${members.join('; ')} }`
  }
  return schema.type === 'integer' ? 'number' : schema.type
}

const wrapped = (type) => (type.includes(' | ') ? `(${type})` : type)

/** What the handlers of a controller answer with, the same for all servers. */
export function sampleSource({ Class, resource, index }) {
  return `export interface ${Class} ${typeOf(resource)}

const sample = (id: string, name: string): ${Class} => ({
  id: Number(id), name, email: 'ada@example.com', role: 'admin', isActive: true, createdAt: '2026-01-01T00:00:00Z', tags: [],
  address: { street: 'Street 1', city: 'City', country: 'Country' }, code${index}: 'a',
})
`
}

/** The parts of the calls that the files with a client make. */
export const example = {
  params: `{ id: '7' }`,
  query: `{ sort: 'ascending', page: '2' }`,
  body: `{ title: 'a', quantity: 1, kind: 'small', items: [{ sku: 'b', count: 2 }] }`,
}
