/** What a client learns from an error that is not shown: its status, and what the application chose to say. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { HttpError, type Server } from 'alcove/lib'
import { exchange, get, wireTest } from './wire.js'

const text = { type: 'string' }
/** Lists what errors of Node, of databases and of HTTP clients have. */
const errorSchema = {
  type: 'object',
  properties: {
    statusCode: { type: 'integer' },
    code: text,
    error: text,
    message: text,
    path: text,
    syscall: text,
    errno: { type: 'integer' },
    detail: text,
    query: text,
    stack: text,
    name: text,
    cause: { type: 'object', additionalProperties: true },
  },
}

const upstreamHeaders = {
  'Set-Cookie': 'internal=session-of-the-service',
  'X-Internal-Host': 'db-7.corp',
  'Content-Encoding': 'gzip',
  'content-length': '3',
  'Retry-After': '7',
  'WWW-Authenticate': 'Basic',
  Allow: 'GET',
}

const failures: Record<string, () => unknown> = {
  'a file that is missing': () => readFileSync('/etc/secret/key.pem'),
  'a row that exists': () => {
    throw Object.assign(new Error('duplicate'), { code: 'secret-23505', detail: 'Key (email)=(secret)', query: 'insert secret' })
  },
  'an error with a cause': () => {
    throw new Error('secret', { cause: { secret: 1 } })
  },
  'an error of another service': () => {
    throw Object.assign(new Error('secret'), { statusCode: 502, headers: upstreamHeaders, detail: 'secret' })
  },
  'a thrown object': () => {
    throw { statusCode: 500, message: 'secret', detail: 'secret', headers: upstreamHeaders }
  },
}

const slug = (name: string): string => name.replaceAll(' ', '-')

function declareFailures(server: Server): void {
  const schemas = { listed: errorSchema, open: { type: 'object', additionalProperties: true } }
  for (const [name, fail] of Object.entries(failures)) {
    for (const [kind, schema] of Object.entries(schemas)) {
      const url = `/${slug(name)}/${kind}`
      server.get(url, { schema: { response: { '5xx': schema } } }, () => fail() as any)
      server.get(`/last-resort${url}`, { schema: { response: { '5xx': schema } }, errorHandler: rethrow }, () => fail() as any)
    }
  }
}

function rethrow(error: unknown): never {
  throw error
}

wireTest('a 5xx reply has no property of an error that is not shown, whatever its schema lists', declareFailures, async ({ port }) => {
  for (const name of Object.keys(failures)) {
    for (const path of ['', '/last-resort'].flatMap((start) => ['listed', 'open'].map((kind) => `${start}/${slug(name)}/${kind}`))) {
      const [answer] = await exchange(port, get(path))
      assert.ok(answer!.status >= 500, path)
      const { statusCode, error, message, ...others } = JSON.parse(answer!.body)
      assert.deepEqual([statusCode, message], [answer!.status, error], path)
      assert.deepEqual(others, {}, path)
      assert.doesNotMatch(JSON.stringify(answer), /secret|internal|corp/, path)
    }
  }
})

wireTest('an error that is not shown sets only headers that tell the client what to do', declareFailures, async ({ port }) => {
  for (const name of ['an error of another service', 'a thrown object']) {
    const [answer] = await exchange(port, get(`/${slug(name)}/listed`))
    const { 'retry-after': wait, 'www-authenticate': scheme, allow, ...others } = answer!.headers
    assert.deepEqual([wait, scheme, allow], ['7', 'Basic', 'GET'], name)
    for (const header of ['set-cookie', 'x-internal-host', 'content-encoding']) assert.equal(others[header], undefined, `${name} ${header}`)
  }
})

wireTest(
  'a 5xx reply keeps the codes of the framework',
  (server) =>
    server.get('/', { schema: { response: { '5xx': errorSchema } } }, (_request, reply) => {
      reply.type('application/octet-stream')
      return { not: 'bytes' }
    }),
  async ({ port }) => {
    const [answer] = await exchange(port, get('/'))
    assert.match(JSON.parse(answer!.body).code, /^ALC_ERR_/)
  },
)

wireTest(
  'an HttpError sets the headers that it was given, and an error below 500 those that it has',
  (server) => {
    server.get('/http', () => {
      throw new HttpError(503, 'secret', { headers: { 'X-Until': 'noon', 'Content-Encoding': 'gzip' } })
    })
    server.get('/shown', () => {
      throw Object.assign(new Error('gone'), { statusCode: 410, headers: { 'X-Until': 'noon' } })
    })
  },
  async ({ port }) => {
    for (const path of ['/http', '/shown']) assert.equal((await exchange(port, get(path)))[0]!.headers['x-until'], 'noon', path)
    assert.doesNotMatch((await exchange(port, get('/http')))[0]!.body, /secret/)
  },
)

wireTest(
  'no error sets headers that describe a body, but for the length in a 416',
  (server) => {
    const headers = {
      'Content-Encoding': 'gzip',
      'content-length': '1',
      'Content-Type': 'text/html',
      'Transfer-Encoding': 'chunked',
      ETag: '"a"',
      'Content-Range': 'bytes */9',
    }
    for (const status of [404, 416, 500]) {
      server.get(`/plain/${status}`, () => {
        throw Object.assign(new Error('<script>'), { statusCode: status, expose: true, headers })
      })
      server.get(`/http/${status}`, () => {
        throw new HttpError(status, '<script>', { headers })
      })
    }
  },
  async ({ port }) => {
    for (const kind of ['plain', 'http']) {
      for (const status of [404, 416, 500]) {
        const [answer] = await exchange(port, get(`/${kind}/${status}`))
        assert.equal(answer!.status, status)
        assert.equal(JSON.parse(answer!.body).statusCode, status)
        assert.equal(answer!.headers['content-type'], 'application/json; charset=utf-8')
        assert.equal(answer!.headers['content-range'], status === 416 ? 'bytes */9' : undefined)
        for (const name of ['content-encoding', 'transfer-encoding', 'etag']) assert.equal(answer!.headers[name], undefined, name)
      }
    }
  },
)
