/** Requests: valid ones, valid ones with something changed, and what is no request. */
import { references, routes } from './app.mjs'
import { changed, distorted, fitting, hostileNames, text } from './values.mjs'

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'SEARCH',
  'TRACE',
  'LOCK',
  'MKCOL',
  'PURGE',
  'BREW',
]
const jsonTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json;charset="utf-8"',
  'application/vnd.api+json',
  'application/json ; a=b',
  'application/json\t;a=b',
]
const oddTypes = [
  '',
  ' ',
  'json',
  '/',
  'application/',
  '/json',
  'application /json',
  'application/ json',
  'application/json garbage',
  'application/json, text/plain',
  'application/json;',
  'application/json; a',
  'application/json; =b',
  'application/json; a="b',
  'application/json\u00a0',
  'application\\json',
  'application/json; a=b c',
  'text/plain',
  'text/plain;charset=utf-16',
  'application/jsonx',
  'application/x+jsonp',
  '*/*',
  'application/*',
  'text/*',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/vnd.list+json',
  'application/json\x0b',
  'application/json;;a=b',
  'application/json;a="\\""',
  ' application/json',
  'application/json\t',
  'a'.repeat(300) + '/json',
  'application/json;' + ' a=b;'.repeat(50),
  '__proto__/constructor',
  'application/+json',
  '+json',
  'text/json',
  'application/json;q=\u00e9',
]

/** A request for one of the routes. Where `isValid` is set it must be taken, and `sent` is what the handler must get. */
export function request(random, all = routes) {
  const route = random.pick(all)
  const { schema = {} } = route
  const made = {
    route,
    method: route.method,
    headers: [['Host', 'a.example']],
    isValid: true,
    isLast: false,
    framing: 'length',
    body: undefined,
    sent: {},
  }

  const given = schema.params === undefined ? undefined : fitting({ ...schema.params, additionalProperties: false }, random, references)
  made.sent.params = given
  made.target = route.url
    .replace(/\(.*?\)/, '')
    .replace(/:([a-z]+)/g, (_all, name) =>
      encode(given === undefined ? random.pick(['x', '1', 'long-er', 'é', 'a b', 'a/b']) : String(given[name])),
    )
    .replace('*', () => random.pick(['x', 'a/b/c', '', '%2e%2e/x']))
  // Which part of a segment a text with separators belongs to is the router's to say; line breaks end what it matches there.
  if (given !== undefined && /:a-:b/.test(route.url) && /[-.\n\u2028]/.test(`${given.a}${given.b}${given.c}`)) made.isValid = false
  if (given !== undefined && made.target.split('/').some((part) => part.length > 90)) made.isValid = false

  if (schema.querystring !== undefined) {
    const query = fitting(schema.querystring, random, references)
    made.sent.query = query
    const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((entry) => [name, entry]))
    // What `?a=` cannot say: an empty list.
    for (const [name, value] of Object.entries(query)) if (Array.isArray(value) && value.length === 0) delete query[name]
    made.target += `?${pairs.map(([name, value]) => `${encode(name)}=${encode(String(value))}`).join('&')}`
  } else if (random.chance(0.2))
    made.target += `?${random.list(0, 4, () => `${random.pick([...hostileNames.map(encode), 'a', 'b', '%', '&', '=', '%zz'])}=${random.pick(['1', '', 'x', '%', '%c3%28', '+', '[]'])}`).join('&')}`

  if (schema.headers !== undefined) {
    made.sent.headers = fitting(schema.headers, random, references)
    for (const [name, value] of Object.entries(made.sent.headers)) {
      if (!/^X-(Key|Flag|Mode|Word)$/.test(name)) delete made.sent.headers[name]
      else made.headers.push([random.chance(0.5) ? name : random.chance(0.5) ? name.toLowerCase() : name.toUpperCase(), String(value)])
    }
  }

  if (schema.body !== undefined) writeBody(made, schema, random)
  else if (['POST', 'DELETE', 'PATCH', 'PUT'].includes(route.method) && random.chance(0.7)) {
    made.sent.body = fitting(true, random, references)
    made.body = Buffer.from(JSON.stringify(made.sent.body))
    made.headers.push(['Content-Type', random.pick(jsonTypes)])
  }
  if (made.body !== undefined && random.chance(0.2)) made.framing = 'chunked'
  if (random.chance(0.5)) for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--) distort(made, random)
  made.bytes = toBytes(made, random)
  return made
}

function encode(value) {
  return encodeURIComponent(value.toWellFormed())
}

function writeBody(made, { body, consumes }, random) {
  const types = body.content === undefined ? undefined : Object.keys(body.content)
  const type =
    types === undefined ? (consumes !== undefined && random.chance(0.7) ? consumes[0] : random.pick(jsonTypes)) : random.pick(types)
  const schema = types === undefined ? body : body.content[type].schema
  const value = fitting(schema, random, references)
  made.sent.body = value
  made.value = value
  made.headers.push(['Content-Type', type])
  if (type === 'text/plain') made.body = Buffer.from((made.sent.body = value.toWellFormed()))
  else if (type === consumes?.[0]) {
    made.body = Buffer.from(
      Object.entries(value)
        .flatMap(([name, entry]) => [entry].flat().map((one) => `${encode(name)}=${encode(String(one))}`))
        .join('&'),
    )
    if (Array.isArray(value.b) && value.b.length === 0) delete value.b
    if (typeof value.c === 'string') value.c = value.c.toWellFormed()
  } else made.body = Buffer.from(JSON.stringify(value))
}

/** Changes one thing of a request. */
function distort(made, random) {
  made.isValid = false
  made.sent = {}
  switch (random.int(0, 17)) {
    case 0:
      made.method = random.pick(methods)
      break
    case 1:
    case 2:
      made.target = distortedTarget(made.target, random)
      break
    case 3:
    case 4:
      if (made.body === undefined) break
      made.headers = made.headers.filter(([name]) => name !== 'Content-Type')
      for (const type of random.list(0, random.pick([1, 1, 1, 2]), () => random.pick(random.chance(0.8) ? oddTypes : jsonTypes)))
        made.headers.push(['Content-Type', type])
      break
    case 5:
    case 6:
    case 7:
    case 8:
      if (made.value !== undefined) made.body = Buffer.from(JSON.stringify((made.value = changed(made.value, random))) ?? '')
      break
    case 9:
    case 10:
      if (made.body !== undefined) made.body = Buffer.from(distorted(made.body.toString(), random))
      break
    case 11:
      made.headers.push([
        random.pick([
          'Content-Encoding',
          'Content-Type',
          'Host',
          'Accept',
          'Accept-Version',
          'Connection',
          'x-pass',
          'request-id',
          'X-Key',
          'X-Flag',
          '__proto__',
          'constructor',
          'Transfer-Encoding',
          'Content-Length',
          'Upgrade',
        ]),
        random.pick([
          'gzip',
          'identity',
          'no',
          '1',
          '',
          'text/plain',
          'x y',
          'a, b',
          '\u00ff',
          'close',
          'keep-alive',
          'chunked',
          '1e400',
          'Infinity',
          'application/json',
        ]),
      ])
      break
    case 12:
      made.headers.push(['x-pass', 'no'])
      break
    case 13:
      made.framing = random.pick(['none', 'short', 'long', 'both', 'bad', 'zero'])
      break
    case 14:
      made.headers = made.headers.filter(() => random.chance(0.6))
      break
    case 15:
      made.target = `${made.target.split('?')[0]}?${random.list(1, 8, () => `${random.pick(['page', 'ids', 'tags', 'a', 'on', 'size', 'either', 'ratio', ...hostileNames].map(encode))}${random.pick(['=', '=', '', '[]=', '%5B0%5D='])}${random.pick(['1', '', '-1', 'x', '1e400', 'Infinity', '0x10', 'true', 'null', '%00', '%', '%ff', '1,2', ' '].map((value) => value.replace(' ', '%20')))}`).join(random.pick(['&', '&', ';', '&&']))}`
      break
    case 16:
      if (made.body !== undefined) {
        made.body = Buffer.from(made.body)
        for (let times = random.int(1, 4); times > 0 && made.body.length > 0; times--)
          made.body[random.int(0, made.body.length - 1)] = random.int(0, 255)
      }
      break
    default:
      made.isGarbage = random.chance(0.3)
  }
}

function distortedTarget(target, random) {
  const at = random.int(0, target.length)
  switch (random.int(0, 14)) {
    case 0:
      return target.replace(/[a-z]/g, (letter) => (random.chance(0.3) ? `%${letter.charCodeAt(0).toString(16)}` : letter))
    case 1:
      return target.replace('/', '//')
    case 2:
      return `${target.slice(0, at)}${random.pick([';x', ';', '%2f', '%00', '%', '%zz', '%ff', '%c0%ae', '..', '/./', '/../', '%2e%2e', '#x', '?', '\\', '%25', '%3f', '%23', '+', '%20', '*', ':'])}${target.slice(at)}`
    case 3:
      return `${target}/`
    case 4:
      return target.replace(/[^/?]+$/, 'x'.repeat(random.pick([99, 100, 101, 500, 5000])))
    case 5:
      return `http://b.example${target}`
    case 6:
      return target.toUpperCase()
    case 7:
      return `/multi/${random.list(1, 60, () => random.pick(['a', '-', '.', '--', 'a-', '%2d', '.-'])).join('')}`
    case 8:
      return `/admin${random.pick(['', '/', '/x', '//', '/%', ';x', '/item', '/item/', '/files', '/files/', '/item/%', '/deep/%2f/secret', '/deep//secret', '/../order', '%2fitem%2fx', '/item/x?%'])}`
    case 9:
      return target.slice(1)
    case 10:
      return random.pick([
        '*',
        '/',
        '',
        '?',
        '//',
        '/%',
        'http://',
        'http:///',
        '/\u00e9',
        '/?',
        '/__proto__',
        '/constructor',
        '/free/__proto__',
      ])
    case 11:
      return `/regex/${random.pick(['1', '-1', '1a', '%31', '9'.repeat(50), '', '1%0a', '%d9%a1'])}/x`
    case 12:
      return target.replace(/[^/]+/, (segment) => `${segment}%2f${segment}`)
    case 13:
      return `${target.slice(0, at)}${text(random, 1, 3).replaceAll(/[\s\u0080-\uffff]/g, '~')}${target.slice(at)}`
    default:
      return target.slice(0, at)
  }
}

/** What a request is on the wire. */
function toBytes(made, random) {
  const { method, target, headers, body, framing } = made
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  const length = body?.length ?? 0
  let content = body ?? Buffer.alloc(0)
  switch (framing) {
    case 'chunked':
      lines.push('Transfer-Encoding: chunked')
      content = chunked(content, random)
      break
    case 'none':
      content = Buffer.alloc(0)
      break
    case 'short':
      lines.push(`Content-Length: ${length + random.int(1, 9)}`)
      break
    case 'long':
      lines.push(`Content-Length: ${Math.max(0, length - random.int(1, 9))}`)
      break
    case 'both':
      lines.push(`Content-Length: ${length}`, 'Transfer-Encoding: chunked')
      break
    case 'bad':
      lines.push(`Content-Length: ${random.pick(['-1', 'x', '1e3', '99999999999', '1, 1', '0x5', ''])}`)
      break
    case 'zero':
      lines.push('Content-Length: 0')
      content = Buffer.alloc(0)
      break
    default:
      if (body !== undefined) lines.push(`Content-Length: ${length}`)
  }
  // Whoever sends what may be no whole request, or more than one, says so by closing.
  const isPlain = framing === 'length' || framing === 'chunked'
  made.isLast = !isPlain || !made.isValid
  if (made.isLast && random.chance(0.8)) lines.push('Connection: close')
  let bytes = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content])
  if (made.isGarbage) {
    const at = random.int(0, Math.min(bytes.length - 1, 200))
    if (random.chance(0.5))
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(random.pick(['\0', '\r\n', '\n', ' ', '\xff', 'HTTP/1.1', 'x'.repeat(20_000)]), 'latin1'),
        bytes.subarray(at),
      ])
    else {
      bytes = Buffer.from(bytes)
      bytes[at] = random.int(0, 255)
    }
  }
  return bytes
}

function chunked(bytes, random) {
  const parts = []
  for (let at = 0; at < bytes.length;) {
    const size = random.int(1, Math.max(1, Math.min(bytes.length - at, 400)))
    parts.push(Buffer.from(`${size.toString(16)}\r\n`), bytes.subarray(at, at + size), Buffer.from('\r\n'))
    at += size
  }
  parts.push(Buffer.from('0\r\n\r\n'))
  return Buffer.concat(parts)
}
