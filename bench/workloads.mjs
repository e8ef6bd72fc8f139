/** The requests of each workload, and what every server has to answer before anything is measured. */
import { bootBody, bootSuffix, routeCount, routePath } from './data.mjs'

const json = (method, url, body, headers = {}) => ({
  method,
  url,
  headers: { ...headers, 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const get = (url, headers = {}) => ({ method: 'GET', url, headers, body: '' })

const user = {
  id: '0b9e8d1a-53c7-4e5f-9d57-3c2f6f6a1f10',
  name: 'Ada Lovelace',
  email: 'ada.lovelace@example.com',
  website: 'https://example.com/people/ada',
  birthday: '1990-12-10',
  registeredAt: '2024-05-17T09:30:00.000Z',
  age: 36,
  role: 'editor',
  tags: ['mathematics', 'engines', 'poetry', 'music'],
  address: { street: '12 Analytical Row', city: 'London', zip: '12345', country: 'GB' },
  bio: 'The engine weaves algebraic patterns as the loom weaves flowers and leaves. '.repeat(8).trim(),
}
const authorized = { authorization: 'Bearer secret-token', 'x-tenant': 'acme', 'accept-language': 'en' }
const orderUrl = '/orders/42?page=2&limit=50&active=true&sort=price&minPrice=9.5'

/** The same in each run: a linear congruential generator. */
function randomRoutes(count) {
  let state = 42
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return get(`${routePath(state % routeCount)}/${state % 97}`)
  })
}

/** `good` is answered alike by all; `refused` with this status by all, in words of their own; `servers` where it is not for all. */
export const workloads = {
  floor: { title: 'an empty answer: Node and the driver alone', servers: ['http'], requests: [get('/')], good: [get('/')], refused: [] },
  hello: { title: 'hello, response schema', requests: [get('/')], good: [get('/')], refused: [[get('/nowhere'), 404]] },
  query: {
    title: 'params and query coerced, 12 properties back',
    requests: [get(orderUrl)],
    good: [get(orderUrl), get('/orders/7?page=1'), get('/orders/7?page=1&active=false')],
    refused: [
      [get('/orders/x?page=1'), 400],
      [get('/orders/7'), 400],
      [get('/orders/7?page=0'), 400],
      [get('/orders/7?page=1&sort=colour'), 400],
    ],
  },
  body: {
    title: '1 KB body validated, formats, 201',
    requests: [json('POST', '/users', user)],
    good: [json('POST', '/users', user), json('POST', '/users', { ...user, tags: [] })],
    refused: [
      [json('POST', '/users', { ...user, email: 'nobody' }), 400],
      [json('POST', '/users', { ...user, id: '7' }), 400],
      [json('POST', '/users', { ...user, registeredAt: 'yesterday' }), 400],
      [json('POST', '/users', { ...user, address: { ...user.address, zip: 'x' } }), 400],
      [json('POST', '/users', { ...user, bio: undefined }), 400],
      [json('POST', '/users', '{"name":'), 400],
    ],
  },
  list: { title: '100 objects, 15 KB', requests: [get('/people')], good: [get('/people')], refused: [] },
  contexts: {
    title: 'three contexts with an async hook each, token, singleton',
    requests: [get('/api/v1/account', authorized)],
    good: [get('/api/v1/account', authorized)],
    refused: [
      [get('/api/v1/account'), 401],
      [get('/api/v1/account', { ...authorized, authorization: 'Bearer other' }), 401],
    ],
  },
  scope: {
    title: 'a request-scoped provider',
    requests: [get('/trace', { 'x-caller': 'ada' })],
    good: [get('/trace', { 'x-caller': 'ada' }), get('/trace', { 'x-caller': 'bob' })],
    refused: [],
  },
  routes: {
    title: '1,000 routes at random',
    requests: randomRoutes(4096),
    good: randomRoutes(20),
    refused: [[get(`${routePath(7)}/x`), 400]],
  },
}

export function bootRequests(count, kind) {
  return Array.from({ length: count }, (_, index) =>
    json('POST', `/boot${index}/7?page${bootSuffix(kind, index)}=2`, bootBody(bootSuffix(kind, index))),
  )
}

export function toBytes({ method, url, headers, body }) {
  const lines = Object.entries({ host: 'localhost', ...headers, ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }) })
  return Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
}
