/** The ten commonest operations, and requests that have to be refused. */
import { get, json } from '../requests.mjs'
import { reader, WRITTEN } from './data.mjs'

const SPREAD = 40

const each = (make) => Array.from({ length: SPREAD }, (_, index) => make(index * 11 + 1))

/** @param token of the reader, for this application */
export function operationsOf(token) {
  const authorization = { authorization: `Token ${token}` }
  return {
    'GET /articles': each((at) => get(`/api/articles?limit=20&offset=${at}`)),
    'GET /articles?tag': each((at) => get(`/api/articles?tag=tag${at % 29}&limit=20`)),
    'GET /articles/:slug': each((at) => get(`/api/articles/article-${at}`)),
    'GET /articles/:slug/comments': each((at) => get(`/api/articles/article-${at}/comments`)),
    'GET /profiles/:username': each((at) => get(`/api/profiles/user${1 + (at % 100)}`)),
    'GET /tags': [get('/api/tags')],
    'GET /user': [get('/api/user', authorization)],
    'GET /articles/feed': each((at) => get(`/api/articles/feed?limit=20&offset=${at % 100}`, authorization)),
    'POST /articles/:slug/favorite': each((at) => ({ ...get(`/api/articles/article-${at}/favorite`, authorization), method: 'POST' })),
    'POST /articles/:slug/comments': each((at) =>
      json('POST', `/api/articles/article-${WRITTEN + at}/comments`, { comment: { body: 'What I think of this article' } }, authorization),
    ),
  }
}

/** How often each operation comes in `mixed`, of a hundred. */
const shares = [28, 10, 25, 12, 6, 5, 4, 6, 2, 2]

export function mixed(operations) {
  const lists = Object.values(operations)
  const found = []
  // Spread evenly: at each place the operation that is the most behind.
  const sent = lists.map(() => 0)
  for (let place = 1; place <= 400; place++) {
    const behind = shares.map((share, index) => (share * place) / 100 - sent[index])
    const next = behind.indexOf(Math.max(...behind))
    found.push(lists[next][sent[next]++ % lists[next].length])
  }
  return found
}

export const login = json('POST', '/api/users/login', { user: reader })

/** With the status that each has to get. */
export function refusedOf(token) {
  const authorization = { authorization: `Token ${token}` }
  const comments = '/api/articles/article-900/comments'
  return [
    [get('/api/user'), 401],
    [get('/api/user', { authorization: 'Token of-nobody' }), 401],
    [get('/api/articles', { authorization: 'Token of-nobody' }), 401],
    [get('/api/articles?limit=0'), 422],
    [get('/api/articles?offset=x'), 422],
    [get('/api/articles/there-is-none'), 404],
    [get('/api/profiles/nobody'), 404],
    [get('/api/there-is-none'), 404],
    [json('POST', comments, { comment: { body: '' } }, authorization), 422],
    [json('POST', comments, { comment: { body: 7 } }, authorization), 422],
    [json('POST', comments, '{"comment":', authorization), 422],
    [json('POST', comments, { comment: { body: 'Text' } }), 401],
    [json('POST', '/api/users/login', { user: { ...reader, password: 'another' } }), 401],
  ]
}
