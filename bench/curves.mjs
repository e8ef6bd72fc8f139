/** What grows, and how far: the requests of each size, and what the servers need to answer them. */
import { get, json, randomRoutes } from './requests.mjs'

export { resource, routePath } from './data.mjs'

const item = /** @type {const} */ ({
  type: 'object',
  required: ['id', 'name', 'price', 'isActive'],
  additionalProperties: false,
  properties: {
    id: { type: 'integer', minimum: 0 },
    name: { type: 'string', maxLength: 100 },
    price: { type: 'number' },
    isActive: { type: 'boolean' },
  },
})
const items = /** @type {const} */ ({ type: 'object', required: ['items'], properties: { items: { type: 'array', items: item } } })

export const itemsBody = { body: items, response: { 200: { type: 'object', properties: { count: { type: 'integer' } } } } }
export const itemsReply = { response: { 200: items } }

/** As many objects as make at least this number of bytes of JSON. */
export function itemsOfSize(bytes) {
  const found = []
  for (let size = 12; size < bytes; size += JSON.stringify(found.at(-1)).length + 1) {
    found.push({ id: found.length, name: `The name of item ${found.length}`, price: found.length * 1.25, isActive: found.length % 3 === 0 })
  }
  return found
}

/** The schema of a query of so many numbers. */
export function parameters(count) {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'integer' }]))
  return {
    querystring: { type: 'object', required: Object.keys(properties), properties },
    response: { 200: { type: 'object', properties: { sum: { type: 'integer' } } } },
  }
}

export function sum(query) {
  let total = 0
  for (const name in query) total += query[name]
  return total
}

function nestedPath(contexts) {
  return `${Array.from({ length: contexts - 1 }, (_, index) => `/level${contexts - index}`).join('')}/`
}

/** By curve: what a size counts, the sizes, and the requests of each. */
export const curves = {
  in: {
    title: 'bytes of a validated body',
    sizes: [1000, 10_000, 100_000, 1_000_000],
    requests: (size) => [json('POST', '/items', { items: itemsOfSize(size) })],
  },
  out: { title: 'bytes of a serialized reply', sizes: [1000, 10_000, 100_000, 1_000_000], requests: () => [get('/items')] },
  headers: {
    title: 'headers of a request',
    sizes: [1, 10, 100],
    requests: (size) => [get('/', Object.fromEntries(Array.from({ length: size }, (_, index) => [`x-header-${index}`, `value-${index}`])))],
  },
  query: {
    title: 'numbers in the query',
    sizes: [1, 10, 100],
    requests: (size) => [get(`/?${Array.from({ length: size }, (_, index) => `p${index}=${index}`).join('&')}`)],
  },
  hooks: { title: 'async hooks', sizes: [1, 10, 50], requests: () => [get('/')] },
  contexts: { title: 'nested contexts with an async hook each', sizes: [1, 3, 10], requests: (size) => [get(nestedPath(size))] },
  routes: { title: 'routes, requested at random', sizes: [10, 100, 1000, 10_000], requests: (size) => randomRoutes(4096, size) },
}
