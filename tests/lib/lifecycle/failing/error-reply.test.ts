/** The reply to an error: status, headers, payload, and the details that a client is shown. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { createServer, type Reply } from 'alcove/lib'
import { requestedPath } from '../../../../lib/lifecycle/failing/error-reply.js'
import { using } from '../../../fixtures/logged-server.js'

describe('the reply to an error', () => {
  /** @returns the reply to a request, and the lines that were logged for it */
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
    test(`has the status ${status} if the error has ${JSON.stringify(properties)}`, async () => {
      assert.equal((await replyTo(throwing(properties))).status, status)
    })
  }

  test('has the status that was chosen before, if it is an error status and the error has no status', async () => {
    const after = (code: number, properties: object = {}) => replyTo((reply) => (reply.code(code), throwing(properties)()))
    assert.equal((await after(404)).status, 404)
    assert.equal((await after(302)).status, 500)
    assert.equal((await after(404, { status: 409 })).status, 409)
  })

  test('has the headers of an error that is shown, if they are an object', async () => {
    assert.equal((await replyTo(throwing({ headers: { 'x-why': 'so' }, status: 409 }))).headers['x-why'], 'so')
    assert.equal((await replyTo(throwing({ headers: { 'x-why': 'so' } }))).headers['x-why'], undefined)
    for (const headers of [null, 'text', 1]) {
      const { status, body } = await replyTo(throwing({ headers, status: 409 }))
      assert.deepEqual([status, body.message], [409, 'private'])
    }
  })

  /** Headers that describe one body. */
  const ofBody = {
    'Content-Type': 'text/plain',
    'Content-Length': '1',
    'Content-Encoding': 'gzip',
    'Content-Range': 'bytes */7',
    'Content-Disposition': 'attachment',
    'Transfer-Encoding': 'gzip, chunked',
    Trailer: 'x-sum',
    ETag: '"a"',
    'Last-Modified': 'Tue, 24 Nov 2026 12:00:00 GMT',
  }

  test('has no header of the error that describes a body; only a 416 has its content-range', async () => {
    for (const status of [409, 416]) {
      const { headers, body } = await replyTo(throwing({ headers: { ...ofBody, 'X-Why': 'so' }, status }))
      const { 'content-type': type, 'content-length': length, ...others } = headers
      assert.deepEqual([type, length], ['application/json; charset=utf-8', String(JSON.stringify(body).length)])
      const kept = Object.keys(ofBody).filter((name) => others[name.toLowerCase()] !== undefined)
      assert.deepEqual(kept, status === 416 ? ['Content-Range'] : [])
      assert.equal(headers['x-why'], 'so')
    }
  })

  test('has the headers of an error that is not shown only if they tell the client what to do', async () => {
    const told = { 'Retry-After': '5', 'WWW-Authenticate': 'Basic', Allow: 'GET' }
    const { headers } = await replyTo(throwing({ headers: { ...told, 'Set-Cookie': 'a=1', Via: 'host' } }))
    const { 'retry-after': after, 'www-authenticate': scheme, allow, 'set-cookie': cookie, via } = headers
    assert.deepEqual([after, scheme, allow, cookie, via], ['5', 'Basic', 'GET', undefined, undefined])
  })

  test('ignores properties of the error whose getters throw', async () => {
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

  test('treats an error of another realm like any other', async () => {
    const error = runInNewContext('Object.assign(new Error("gone"), { status: 410, code: "GONE" })')
    const { body } = await replyTo(() => {
      throw error
    })
    assert.deepEqual(body, { statusCode: 410, code: 'GONE', error: 'Gone', message: 'gone' })
  })

  test('has the status text Error for an unknown status', async () => {
    assert.deepEqual((await replyTo(throwing({ status: 499 }))).body, { statusCode: 499, error: 'Error', message: 'private' })
  })

  test('shows the code of an error from 500 on only if it is a code of the framework', async () => {
    assert.equal((await replyTo(throwing({ code: 'MINE' }))).body.code, undefined)
    assert.equal((await replyTo(throwing({ code: 'ALC_ERR_MINE' }))).body.code, 'ALC_ERR_MINE')
    assert.equal((await replyTo(throwing({ code: 'MY_ALC_ERR_' }))).body.code, undefined)
    assert.equal((await replyTo(throwing({ code: 'ALC_ERR_VALIDATION', status: 400 }))).body.code, undefined)
  })

  test('has the type, the title and further members of an HttpError only, not those of any error', async () => {
    const members = { type: '/kinds/full', title: 'Full', extensions: { own: 1 } }
    const body = { statusCode: 409, error: 'Conflict', message: 'private' }
    assert.deepEqual((await replyTo(throwing({ ...members, status: 409 }))).body, body)
    const problem = { type: 'about:blank', title: 'Conflict', status: 409, detail: 'private', instance: '/', errors: undefined }
    const { body: details } = await replyTo(throwing({ ...members, status: 409 }), { options: { errorFormat: 'problem' } })
    assert.deepEqual({ ...details, errors: undefined }, problem)
  })

  test('is logged with the error: below 500 on level info, from 500 on on level error and with the request', async () => {
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

  test('keeps its status if it lacks a member that its response schema requires, and the log says so once', async () => {
    const schema = { response: { 409: { type: 'object', required: ['needed'], properties: { needed: { type: 'string' } } } } }
    const { status, body, lines } = await replyTo(throwing({ status: 409, code: 'TAKEN' }), { schema })
    assert.deepEqual([status, body], [409, { statusCode: 409, code: 'TAKEN', error: 'Conflict', message: 'private' }])
    const warnings = lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
    assert.deepEqual(warnings, [
      "GET / answered with an error 409 without 'needed', which the schema of its response 409 requires. Throw an error of a class that has " +
        'it (httpError, listed in throws), return reply.code(409).send({ … }), or take it out of required.',
    ])
    const complete = await replyTo(throwing({ status: 409, needed: 'it' }), { schema })
    assert.deepEqual([complete.status, complete.body], [409, { needed: 'it' }])
    const refused = await replyTo(throwing({ status: 409 }), { schema, options: { undeclaredResponses: 'refuse' } })
    assert.deepEqual([refused.status, refused.body.code], [500, 'ALC_ERR_FAILED_ERROR_SERIALIZATION'])
  })

  test('keeps its status if it fits no alternative of its response schema, and the log says so once', async () => {
    const other = { type: 'object', required: ['needed'], properties: { needed: { type: 'string' } } }
    const schema = { response: { 409: { anyOf: [other, { type: 'null' }] } } }
    const { status, body, lines } = await replyTo(throwing({ status: 409 }), { schema })
    assert.deepEqual([status, body], [409, { statusCode: 409, error: 'Conflict', message: 'private' }])
    assert.deepEqual(
      lines.filter(({ level }) => level === 40).map(({ msg }) => msg),
      [
        'GET / answered with an error 409 that fits no alternative of the schema of its response 409. Throw an error of a class that is ' +
          'listed in throws (httpError), return reply.code(409).send({ … }), or add an alternative.',
      ],
    )
    const strict = {
      type: 'object',
      additionalProperties: false,
      required: ['message'],
      properties: { message: {}, statusCode: {}, error: {} },
    }
    const fitting = await replyTo(throwing({ status: 409, own: 1 }), { schema: { response: { 409: { oneOf: [other, strict] } } } })
    assert.deepEqual([fitting.status, fitting.body], [409, { message: 'private', statusCode: 409, error: 'Conflict' }])
    assert.deepEqual(
      fitting.lines.filter(({ level }) => level === 40),
      [],
    )
    const refused = await replyTo(throwing({ status: 409 }), { schema, options: { undeclaredResponses: 'refuse' } })
    assert.equal(refused.status, 500)
  })

  test('is a 500 if a payload with an error status does not fit the schema of that status, and does not show why', async () => {
    const schema = { response: { 404: { type: 'object', required: ['reason'], properties: { reason: { type: 'string' } } } } }
    const sending = (reply: Reply): void => void reply.code(404).send({ mine: 1 })
    const { status, body } = await replyTo(sending, { schema })
    assert.deepEqual([status, body.message], [500, 'Internal Server Error'])
    const server = createServer()
    server.setErrorHandler((_error, _request, reply) => sending(reply))
    server.get('/', { schema }, () => {
      throw new Error('private')
    })
    const answer = await server.inject('/')
    assert.deepEqual([answer.statusCode, answer.json().message], [500, 'Internal Server Error'])
    await server.close()
  })

  test('is a plain 500 if its response schema cannot serialize it, and shows the reason only with exposeErrorMessages', async () => {
    const schema = { response: { 409: { type: 'object', properties: { message: { type: 'integer' } } } } }
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
    assert.match(line.err.message, /integer/)
    const shown = await replyTo(throwing({ status: 409 }), { schema, options: { exposeErrorMessages: true } })
    assert.match(shown.body.message, /integer.*private/)
    const content = { 'application/problem+json': { schema: { type: 'object', properties: { title: { type: 'integer' } } } } }
    const ofProblem = { response: { 409: { content } } }
    const problem = await replyTo(throwing({ status: 409 }), { schema: ofProblem, options: { errorFormat: 'problem' } })
    assert.deepEqual([problem.body.status, problem.body.code, problem.body.instance], [500, 'ALC_ERR_FAILED_ERROR_SERIALIZATION', '/'])
  })

  test('is serialized by the response schema of its status, with statusCode, error and message beside the properties of the error', async () => {
    const properties = Object.fromEntries(['statusCode', 'error', 'message', 'own'].map((name) => [name, {}]))
    const schema = { response: { 409: { type: 'object', properties } } }
    const { body } = await replyTo(throwing({ status: 409, statusCode: 1, error: 'x', own: 'mine' }), { schema })
    assert.deepEqual(body, { statusCode: 409, error: 'Conflict', message: 'private', own: 'mine' })
  })

  test('is serialized by the schema that is declared for JSON', async () => {
    const content = {
      'text/csv': { schema: { type: 'object', properties: { csv: { type: 'string' } } } },
      'application/json': { schema: { type: 'object', properties: { own: { type: 'string' } } } },
    }
    const { body } = await replyTo(throwing({ status: 409, own: 'mine', csv: 'x' }), { schema: { response: { 409: { content } } } })
    assert.deepEqual(body, { own: 'mine' })
  })

  test('has statusCode, error and message also if the schema lists no properties', async () => {
    const schema = { response: { 409: { type: 'object', additionalProperties: true } } }
    const { body } = await replyTo(throwing({ status: 409 }), { schema })
    assert.deepEqual(body, { statusCode: 409, error: 'Conflict', message: 'private' })
  })

  for (const thrown of [undefined, null, 'text', 0, Symbol('text')]) {
    test(`is serialized by the response schema of its status also if ${String(thrown)} was thrown`, async () => {
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

  test('has the status of its own error, not of the error before it: a hook that fails while a 404 is sent is a 500', async () => {
    const server = createServer()
    server.addHook('onSend', async () => Promise.reject(new Error('private')))
    server.get('/', () => Promise.reject(Object.assign(new Error('missing'), { status: 404 })))
    const answer = await server.inject('/')
    assert.deepEqual(answer.json(), { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' })
    await server.close()
  })

  test('is serialized by the response schema of its status also if a hook has failed with a text that may be shown', async () => {
    const server = createServer({ exposeErrorMessages: true })
    const schema = {
      response: { 500: { type: 'object', properties: { statusCode: {}, error: {}, kind: { default: 'failure' } } } },
    } as const
    server.get('/', { schema, onSend: () => Promise.reject('text') }, () => 'never')
    const answer = await server.inject('/')
    assert.deepEqual(answer.json(), { statusCode: 500, error: 'Internal Server Error', kind: 'failure' })
    await server.close()
  })

  test('is the thrown value itself, if it is not an Error and may be shown', async () => {
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
})

for (const [originalUrl, path] of [
  ['/users/7?secret=1', '/users/7'],
  ['/users?a=1#b', '/users'],
  ['/users#a?b', '/users'],
  ['/users?a\nb', '/users'],
  ["/-._~!$&'()*+,;=:@%20", "/-._~!$&'()*+,;=:@%20"],
  ['/caf\u00c3\u00a9"<\u0009>', '/caf%C3%A9%22%3C%09%3E'],
  ['//name/users', '/.//name/users'],
  ['/users//', '/users//'],
]) {
  test(`the path of ${JSON.stringify(originalUrl)} is the reference ${path}`, () => {
    assert.equal(requestedPath({ originalUrl: originalUrl! }), path)
  })
}

describe('an error', () => {
  test('whose serializer returns bytes is answered with them; if it returns neither text nor bytes, the reply is a 500 without the serializer', async () => {
    const seen: unknown[] = []
    await using(
      (server) => {
        server.setSerializerCompiler(
          ({ httpStatus }) =>
            () =>
              (httpStatus === '409' ? Buffer.from('bytes') : { odd: true }) as any,
        )
        server.addHook('onSend', async (_request, _reply, payload) => void seen.push(payload))
        const schema = { response: { 409: {}, 410: {}, '5xx': {} } }
        for (const status of [409, 410, 500])
          server.get(`/${status}`, { schema }, () => Promise.reject(Object.assign(new Error('x'), { status })))
        server.get('/plain', { schema: { response: { 410: {} } } }, () => Promise.reject(Object.assign(new Error('x'), { status: 410 })))
      },
      async (server) => {
        assert.equal((await server.inject('/409')).body, 'bytes')
        for (const path of ['/410', '/500', '/plain']) {
          const answer = await server.inject(path)
          assert.deepEqual([answer.statusCode, answer.json().code], [500, 'ALC_ERR_REP_INVALID_PAYLOAD_TYPE'])
        }
      },
    )
    assert.equal(String(seen[0]), 'bytes')
    assert.ok(seen.slice(1).every((payload) => typeof payload === 'string'))
  })
})
