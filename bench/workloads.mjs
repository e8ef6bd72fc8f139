/** The requests of each workload, and what every server has to answer before anything is measured. */
import { curves } from './curves.mjs'
import { bootBody, bootSuffix, routePath } from './data.mjs'
import { get, json, randomRoutes } from './requests.mjs'

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

/** `good` is answered alike by all; `refused` with this status by all, in words of their own; `servers` if it is not for all. */
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

/** Only for the memory of busy connections. */
const waiting = { wait: { requests: workloads.body.requests, good: [], refused: [] } }

/** A workload, or one size of a curve: `query:100`. */
export function workloadOf(name) {
  const [curve, size] = name.split(':')
  if (size === undefined) return workloads[curve] ?? waiting[curve]
  const requests = curves[curve].requests(Number(size))
  return { requests, good: requests.slice(0, 20), refused: [] }
}

export function bootRequests(count, kind) {
  return Array.from({ length: count }, (_, index) =>
    json('POST', `/boot${index}/7?page${bootSuffix(kind, index)}=2`, bootBody(bootSuffix(kind, index))),
  )
}
