/** Requests as data, and as the bytes that a client sends. */
import { routeCount, routePath } from './data.mjs'

export const json = (method, url, body, headers = {}) => ({
  method,
  url,
  headers: { ...headers, 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
export const get = (url, headers = {}) => ({ method: 'GET', url, headers, body: '' })

/** The same in each run: a linear congruential generator. */
export function randomRoutes(count, routes = routeCount) {
  let state = 42
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return get(`${routePath(state % routes)}/${state % 97}`)
  })
}

export function toBytes({ method, url, headers, body }) {
  const lines = Object.entries({ host: 'localhost', ...headers, ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }) })
  return Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
}
