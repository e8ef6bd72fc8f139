import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { createServer, errorCodes, HttpError } from 'alcove'
import { faults } from '../../decorators/wiring/faults.js'
import { faultSamples } from '../fixtures/fault-samples.js'

const project = new URL('../../../', import.meta.url)
const document = readFileSync(new URL('docs/errors.md', project), 'utf8')
const sources = readdirSync(new URL('lib', project), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== 'errors.ts')
  .map((file) => readFileSync(new URL(`lib/${file}`, project), 'utf8'))
  .join('\n')
const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[]

describe('every error code of the server', () => {
  // Answered without an error object.
  const unthrown = ['ALC_ERR_NOT_FOUND']

  test('is thrown somewhere', () => {
    const isThrown = (code: string): boolean => sources.includes(`errorCodes.${code}(`) || sources.includes(`'${code}'`)
    // Two codes are put together of their parts.
    const isBuilt = (code: string): boolean => /^ALC_ERR_SCH_\w+_BUILD$/.test(code) && sources.includes('_BUILD`]')
    assert.deepEqual(
      codes.filter((code) => !isThrown(code) && !isBuilt(code)),
      unthrown,
    )
  })

  test('is documented with its status, when it comes and what to do', () => {
    const rows = new Map([...document.matchAll(/^\| `(ALC_\w+)` \| (\d+) \| ([^|]+) \| ([^|]+) \|$/gm)].map((row) => [row[1]!, row]))
    assert.deepEqual([...rows.keys()], codes)
    for (const code of codes) {
      if (code === 'ALC_ERR_BOOT_FAULTS') continue
      const error = new (errorCodes[code] as new (...args: unknown[]) => { statusCode: number })('a', 'b', 'c')
      assert.equal(Number(rows.get(code)![2]), error.statusCode, code)
    }
  })
})

test('every fault of wiring is documented with its text', () => {
  for (const [code, text] of Object.entries(faults)) {
    const rendered = (text as (...args: unknown[]) => string)(...faultSamples[code as keyof typeof faults])
    assert.ok(document.includes(`| \`${code}\` | ${rendered.replaceAll('|', '\\|')} |`), `docs/errors.md lacks: ${rendered}`)
  }
})

describe('an error of the framework', () => {
  const Sample = errorCodes.ALC_ERR_QSP_NOT_FN

  test('has a code, a status, a message made of its arguments, and the class that was asked for', () => {
    const error = new Sample('tea')
    const message = "querystringParser option should be a function, instead got 'tea'"
    assert.deepEqual([error.code, error.statusCode, error.message], ['ALC_ERR_QSP_NOT_FN', 500, message])
    assert.ok(error instanceof TypeError)
    assert.ok(error instanceof Sample)
    assert.ok(String(error).endsWith(`[ALC_ERR_QSP_NOT_FN]: ${message}`))
  })

  test('can be made without new', () => {
    assert.ok(Sample('tea') instanceof Sample)
  })
})

describe('HttpError', () => {
  async function answerTo(error: unknown, options = {}): Promise<[number, Record<string, unknown>, Record<string, unknown>]> {
    const server = createServer(options)
    server.get('/', async () => {
      throw error
    })
    const answer = await server.inject('/')
    await server.close()
    return [answer.statusCode, answer.json(), answer.headers]
  }

  test('below 500 shows its message, its code and its headers', async () => {
    const [status, body, headers] = await answerTo(new HttpError(429, 'Slow down', { code: 'BUSY', headers: { 'retry-after': '5' } }))
    assert.equal(status, 429)
    assert.deepEqual(body, { statusCode: 429, code: 'BUSY', error: 'Too Many Requests', message: 'Slow down' })
    assert.equal(headers['retry-after'], '5')
  })

  test('from 500 on hides its message and its code', async () => {
    const [status, body] = await answerTo(new HttpError(503, 'db-7 is down', { code: 'DB_7' }))
    assert.equal(status, 503)
    assert.deepEqual(body, { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' })
  })

  test('shows them with expose, or with the option exposeErrorMessages', async () => {
    assert.equal((await answerTo(new HttpError(503, 'Back at noon', { expose: true })))[1]['message'], 'Back at noon')
    assert.equal((await answerTo(new HttpError(503, 'Back at noon'), { exposeErrorMessages: true }))[1]['message'], 'Back at noon')
  })

  test('below 500 hides them with expose: false, as errors of other libraries do', async () => {
    const hidden = { statusCode: 404, error: 'Not Found', message: 'Not Found' }
    assert.deepEqual((await answerTo(new HttpError(404, 'No invoice 7', { expose: false, code: 'INVOICE' })))[1], hidden)
    assert.deepEqual((await answerTo(Object.assign(new Error('No invoice 7'), { statusCode: 404, expose: false })))[1], hidden)
  })

  test('has the status text where no message is given, and keeps its cause', () => {
    const cause = new Error('why')
    const error = new HttpError(404, undefined, { cause })
    assert.deepEqual([error.message, error.cause, error.expose, error.name], ['Not Found', cause, true, 'HttpError'])
    assert.equal('cause' in new HttpError(404), false)
  })

  for (const status of [200, 399, 600, 404.5, Number.NaN]) {
    test(`refuses the status ${status}`, () => {
      assert.throws(() => new HttpError(status), { code: 'ALC_ERR_BAD_STATUS_CODE' })
    })
  }
})

describe('whatever is thrown', () => {
  for (const thrown of [undefined, null, 'text', 0, { statusCode: 404, message: 'plain object' }]) {
    test(`is answered: ${JSON.stringify(thrown) ?? 'undefined'}`, async () => {
      const server = createServer()
      server.get('/sync', () => {
        throw thrown
      })
      server.get('/async', () => Promise.reject(thrown as never))
      for (const url of ['/sync', '/async']) {
        const answer = await server.inject(url)
        assert.equal(answer.statusCode, (thrown as { statusCode?: number } | null | undefined)?.statusCode ?? 500)
        assert.equal(answer.json().statusCode, answer.statusCode)
      }
      await server.close()
    })
  }
})

describe('the reply to an error', () => {
  /** Answers with what the handler throws, and what was logged of it. */
  async function replyTo(handle: (reply: any) => unknown, { options = {}, schema }: { options?: object; schema?: object } = {}) {
    const lines: any[] = []
    const stream = { write: (line: string) => lines.push(JSON.parse(line)) }
    const server = createServer({ ...options, logger: { level: 'info', stream } })
    server.get('/', schema === undefined ? {} : ({ schema } as any), (_request, reply) => handle(reply) as any)
    const answer = await server.inject('/')
    await server.close()
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers, lines }
  }
  const throwing = (properties: object) => () => {
    throw Object.assign(new Error('private'), properties)
  }

  for (const [properties, status] of [
    [{}, 500],
    [{ status: 400 }, 400],
    [{ status: 599 }, 599],
    [{ status: 399 }, 500],
    [{ status: 600 }, 500],
    [{ status: '404' }, 500],
    [{ status: 404.5 }, 500],
    [{ statusCode: 409 }, 409],
    [{ status: 410, statusCode: 409 }, 410],
    [{ status: 200, statusCode: 409 }, 409],
    [{ status: 600, statusCode: 409 }, 409],
  ] as const) {
    test(`has the status ${status} where the error has ${JSON.stringify(properties)}`, async () => {
      assert.equal((await replyTo(throwing(properties))).status, status)
    })
  }

  test('has the status that was chosen before, if that is one of an error and the error has none', async () => {
    const after = (code: number, properties: object = {}) => replyTo((reply) => (reply.code(code), throwing(properties)()))
    assert.equal((await after(404)).status, 404)
    assert.equal((await after(302)).status, 500)
    assert.equal((await after(404, { status: 409 })).status, 409)
  })

  test('has the headers of an error that is shown, if they are an object', async () => {
    assert.equal((await replyTo(throwing({ headers: { 'x-why': 'so' }, status: 409 }))).headers['x-why'], 'so')
    assert.equal((await replyTo(throwing({ headers: { 'x-why': 'so' } }))).headers['x-why'], undefined)
    for (const headers of [null, 'text', 1]) assert.equal((await replyTo(throwing({ headers, status: 409 }))).status, 409)
  })

  test('does without the properties of an error that fail to be read', async () => {
    const error = new Error('private')
    for (const name of ['status', 'statusCode', 'headers', 'code', 'message', 'expose'])
      Object.defineProperty(error, name, {
        get() {
          throw new Error('unreadable')
        },
      })
    const { status, body } = await replyTo(() => {
      throw error
    })
    assert.equal(status, 500)
    assert.deepEqual(body, { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' })
  })

  test('is the same for an error of another realm', async () => {
    const error = runInNewContext('Object.assign(new Error("gone"), { status: 410, code: "GONE" })')
    const { body } = await replyTo(() => {
      throw error
    })
    assert.deepEqual(body, { statusCode: 410, code: 'GONE', error: 'Gone', message: 'gone' })
  })

  test('has the text Error for a status that has no text', async () => {
    assert.deepEqual((await replyTo(throwing({ status: 499 }))).body, { statusCode: 499, error: 'Error', message: 'private' })
  })

  test('shows the code of a fault of the server only where it is one of the framework', async () => {
    assert.equal((await replyTo(throwing({ code: 'MINE' }))).body.code, undefined)
    assert.equal((await replyTo(throwing({ code: 'ALC_ERR_MINE' }))).body.code, 'ALC_ERR_MINE')
    assert.equal((await replyTo(throwing({ code: 'MY_ALC_ERR_' }))).body.code, undefined)
    assert.equal((await replyTo(throwing({ code: 'ALC_ERR_VALIDATION', status: 400 }))).body.code, undefined)
  })

  test('is logged with the error: a fault of the client as information, one of the server as an error, with the request', async () => {
    const [client] = (await replyTo(throwing({ status: 499 }))).lines.filter(({ err }) => err !== undefined)
    assert.deepEqual(
      [client.level, client.msg, client.err.message, client.res.statusCode, client.req],
      [30, 'private', 'private', 499, undefined],
    )
    const [server] = (await replyTo(throwing({ status: 500 }))).lines.filter(({ err }) => err !== undefined)
    assert.deepEqual(
      [server.level, server.msg, server.err.message, server.res.statusCode, server.req.url],
      [50, 'private', 'private', 500, '/'],
    )
    const [bare] = (await replyTo(throwing({ message: 7 }))).lines.filter(({ err }) => err !== undefined)
    assert.equal(bare.msg, '500')
  })

  test('that its own schema cannot write is a plain 500, which tells why only to who may know', async () => {
    const schema = { response: { 409: { type: 'object', required: ['needed'], properties: { needed: { type: 'string' } } } } }
    const hidden = await replyTo(throwing({ status: 409 }), { schema })
    assert.equal(hidden.status, 500)
    assert.deepEqual(hidden.body, {
      statusCode: 500,
      code: 'ALC_ERR_FAILED_ERROR_SERIALIZATION',
      error: 'Internal Server Error',
      message: 'Internal Server Error',
    })
    const [line] = hidden.lines.filter(({ msg }) => msg === 'The serializer for the given status code failed')
    assert.deepEqual([line.level, line.statusCode], [50, 409])
    assert.match(line.err.message, /needed/)
    const shown = await replyTo(throwing({ status: 409 }), { schema, options: { exposeErrorMessages: true } })
    assert.match(shown.body.message, /needed.*private/)
  })

  test('goes through the schema of its status: status, its text and the message, beside what the error has itself', async () => {
    const properties = Object.fromEntries(['statusCode', 'error', 'message', 'own'].map((name) => [name, {}]))
    const schema = { response: { 409: { type: 'object', properties } } }
    const { body } = await replyTo(throwing({ status: 409, statusCode: 1, error: 'x', own: 'mine' }), { schema })
    assert.deepEqual(body, { statusCode: 409, error: 'Conflict', message: 'private', own: 'mine' })
  })

  test('goes through the schema that its status declares for JSON', async () => {
    const content = {
      'text/csv': { schema: { type: 'object', properties: { csv: { type: 'string' } } } },
      'application/json': { schema: { type: 'object', properties: { own: { type: 'string' } } } },
    }
    const { body } = await replyTo(throwing({ status: 409, own: 'mine', csv: 'x' }), { schema: { response: { 409: { content } } } })
    assert.deepEqual(body, { own: 'mine' })
  })

  test('has its own members beside those of the error also for a schema that lists none', async () => {
    const schema = { response: { 409: { type: 'object', additionalProperties: true } } }
    const { body } = await replyTo(throwing({ status: 409 }), { schema })
    assert.deepEqual(body, { statusCode: 409, error: 'Conflict', message: 'private' })
  })

  for (const thrown of [undefined, null, 'text', 0, Symbol('text')]) {
    test(`goes through the schema of its status also where ${String(thrown)} was thrown`, async () => {
      const properties = Object.fromEntries(['statusCode', 'error', 'message'].map((name) => [name, {}]))
      const schema = { response: { 500: { type: 'object', properties: { ...properties, kind: { default: 'failure' } } } } }
      const { body } = await replyTo(
        () => {
          throw thrown
        },
        { schema },
      )
      const text = 'Internal Server Error'
      assert.deepEqual(body, { statusCode: 500, error: text, message: text, kind: 'failure' })
    })
  }

  test('is what was thrown itself, where that is no error and may be shown', async () => {
    const plain = await replyTo(() => {
      throw { statusCode: 404, message: 'plain object', own: 'mine' }
    })
    assert.deepEqual([plain.status, plain.body], [404, { statusCode: 404, message: 'plain object', own: 'mine' }])
    const hidden = await replyTo(() => {
      throw { statusCode: 503, message: 'plain object', own: 'mine' }
    })
    const text = 'Service Unavailable'
    assert.deepEqual([hidden.status, hidden.body], [503, { statusCode: 503, error: text, message: text }])
  })

  test('for a path that is not there says so, and the log too', async () => {
    const lines: any[] = []
    const server = createServer({ logger: { level: 'info', stream: { write: (line: string) => lines.push(JSON.parse(line)) } } })
    assert.deepEqual((await server.inject('/nowhere')).json(), {
      message: 'Route GET:/nowhere not found',
      error: 'Not Found',
      statusCode: 404,
    })
    assert.ok(lines.some(({ msg, level }) => msg === 'Route GET:/nowhere not found' && level === 30))
    await server.close()
  })
})
