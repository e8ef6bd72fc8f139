/** Breaks requests: broken JSON, wrong media types, bad encodings, NUL bytes and very long URLs. */
import { isJson } from '../../contract/openapi/messages.js'
import type { Draft } from './drafts.js'
import { toInject } from './drafts.js'
import type { Random } from '../values/random.js'
import type { Target } from './targets.js'

type Garbling = (draft: Draft, text: string, random: Random) => Draft

const withRaw =
  (changed: string, raw: (text: string, random: Random) => string | Buffer): Garbling =>
  (draft, text, random) => ({ ...draft, changed, body: { type: draft.body?.type ?? 'application/json', raw: raw(text, random) } })

const ofBodies: readonly Garbling[] = [
  withRaw('a body that ends too early', (text, random) => text.slice(0, random.int(0, Math.max(0, text.length - 1))) || '{'),
  withRaw('a body with a NUL byte', (text) => `${text}\u0000`),
  withRaw('a body that is not UTF-8', () => Buffer.from([0x22, 0xc3, 0x28, 0xff, 0xfe, 0x22])),
  withRaw('a body of a NUL byte', () => '\u0000'),
  withRaw('an empty list as its body', () => '[]'),
  withRaw('the body null', () => 'null'),
  withRaw('a body of deep lists', () => '['.repeat(5000) + ']'.repeat(5000)),
  withRaw('a body with the member __proto__', () => '{"__proto__":{"isAdmin":true}}'),
  withRaw('a body with the member constructor', () => '{"constructor":{"prototype":{"isAdmin":true}}}'),
  withRaw('a body with a name twice', (text) => text.replace('{', '{"__twice":1,"__twice":2,')),
  withRaw('a changed byte in its body', (text, random) => {
    const bytes = Buffer.from(text || '{}')
    bytes[random.int(0, bytes.length - 1)] = random.int(0, 255)
    return bytes
  }),
  ...[
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    '',
    'json',
    'application/json; charset=utf-7',
  ].map((type): Garbling => (draft, text) => ({ ...draft, changed: `the media type '${type}'`, body: { type, raw: text || '{}' } })),
  ...[undefined, 'application/json'].map((type): Garbling => (draft) => {
    const { body: _body, ...rest } = draft
    return { ...rest, changed: 'no body', ...(type !== undefined && { headers: { ...draft.headers, 'content-type': type } }) }
  }),
  (draft, text) => ({
    ...draft,
    changed: 'a content encoding that its body does not have',
    headers: { ...draft.headers, 'content-encoding': 'gzip' },
    body: { type: draft.body?.type ?? 'application/json', raw: text || '{}' },
  }),
]

const tails = [
  '%',
  '%zz',
  '%00',
  '%ff',
  '%c0%ae',
  '/',
  '//',
  '/..%2f',
  ';x',
  '#x',
  '?',
  '?__proto__=1',
  '?constructor=1',
  '?a=%',
  '?a[b]=1',
]

const ofUrls: readonly Garbling[] = [
  ...tails.map((tail): Garbling => (draft) => ({ ...draft, changed: `'${tail}' behind its URL`, tail })),
  (draft) => ({ ...draft, changed: 'a very long URL', tail: `?${'a'.repeat(10_000)}` }),
  (draft) => ({ ...draft, changed: 'a very long path', tail: 'a'.repeat(10_000) }),
  (draft) => ({ ...draft, changed: 'many parameters', tail: `?${Array.from({ length: 1000 }, (_, index) => `a=${index}`).join('&')}` }),
  (draft) => ({ ...draft, changed: 'a cookie that cannot be read', headers: { ...draft.headers, cookie: 'a=%zz; =; __proto__=1;;' } }),
  (draft) => ({ ...draft, changed: 'an odd Accept header', headers: { ...draft.headers, accept: 'a/b;q=x, */;, ' } }),
  (draft) => ({ ...draft, changed: 'a header named __proto__', headers: { ...draft.headers, ['x-__proto__']: '1', constructor: '1' } }),
]

/** Returns a copy of a valid request that is broken in one way. */
export function garbled(draft: Draft, target: Target, random: Random): Draft {
  const mayHaveBody = target.readsBody && random.chance(0.6)
  const { payload } = toInject(target, draft)
  const text = draft.body === undefined || !isJson(draft.body.type ?? '') ? '{"a":1}' : String(payload)
  return { ...random.pick(mayHaveBody ? ofBodies : ofUrls)(draft, text, random), kind: 'garbled' }
}
