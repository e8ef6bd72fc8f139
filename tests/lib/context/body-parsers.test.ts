/** Which parser reads a body, and what a parser may do. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { PassThrough, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'

const parseAs = 'string' as const
/** A parser that says which one it is. */
const saying = (name: string) => (_request: unknown, _body: unknown, done: (error: null, value: string) => void) => done(null, name)

async function send(server: Server, type: string | undefined, payload: string | Buffer = 'x', url = '/'): Promise<string> {
  const answer = await server.inject({ method: 'POST', url, payload, headers: type === undefined ? {} : { 'content-type': type } })
  return answer.statusCode === 200 ? answer.body : `${answer.statusCode} ${answer.json().code}`
}

function echo(server: Server, path = '/'): void {
  server.post(path, (request) => request.body)
}

const refused: [title: string, add: (server: any) => unknown, code: string][] = [
  ['for a type that is neither a text nor a pattern', (server) => server.addContentTypeParser(7, saying('')), 'ALC_ERR_CTP_INVALID_TYPE'],
  ['for nothing', (server) => server.addContentTypeParser(' ', saying('')), 'ALC_ERR_CTP_EMPTY_TYPE'],
  ['that is no function', (server) => server.addContentTypeParser('a/b', { parseAs }), 'ALC_ERR_CTP_INVALID_HANDLER'],
  ['without options and without a function', (server) => server.addContentTypeParser('a/b'), 'ALC_ERR_CTP_INVALID_HANDLER'],
  ['as something else', (server) => server.addContentTypeParser('a/b', { parseAs: 'json' }, saying('')), 'ALC_ERR_CTP_INVALID_PARSE_TYPE'],
  ['that is removed by something else than a type', (server) => server.removeContentTypeParser(7), 'ALC_ERR_CTP_INVALID_TYPE'],
]
for (const type of ['a/b', 'a/b; c=d', /^a/, '*'] as const) {
  const add = (server: Server): unknown => server.addContentTypeParser(type, saying('')).addContentTypeParser(type, saying(''))
  refused.push([`for ${String(type)} twice`, add, 'ALC_ERR_CTP_ALREADY_PRESENT'])
}
for (const [title, add, code] of refused) {
  test(`a content-type parser is refused: ${title}`, () => {
    assert.throws(() => add(createServer()), { code })
  })
}

test('a content-type parser is known by its type, whatever the case and the spaces around it', async () => {
  const server = createServer()
  server.addContentTypeParser(' A/B ', saying('a/b'))
  assert.throws(() => server.addContentTypeParser('a/b', saying('')), { code: 'ALC_ERR_CTP_ALREADY_PRESENT' })
  assert.ok(server.hasContentTypeParser('a/B '))
  server.removeContentTypeParser('A/b ')
  assert.equal(server.hasContentTypeParser('a/b'), false)
  assert.equal(server.hasContentTypeParser(7 as never), false)
  assert.equal(server.hasContentTypeParser('*'), false)
  server.addContentTypeParser('a/b; c=d', saying('with a parameter'))
  server.addContentTypeParser('*', saying('the rest'))
  server.removeContentTypeParser(' * ')
  assert.deepEqual([server.hasContentTypeParser('*'), server.hasContentTypeParser('a/b; c=d')], [false, true])
  await server.close()
})

test('a content-type parser for what is no media type changes nothing for the others, and no type stands for all the rest', async () => {
  const server = createServer()
  echo(server)
  server.addContentTypeParser('json', saying('json'))
  assert.ok(server.hasContentTypeParser('json'))
  assert.equal(server.hasContentTypeParser(''), false)
  server.addContentTypeParser('*', saying('rest'))
  assert.ok(server.hasContentTypeParser(''))
  assert.equal(await send(server, 'application/json', '{"a":1}'), '{"a":1}')
  assert.equal(await send(server, 'json'), '415 ALC_ERR_CTP_INVALID_MEDIA_TYPE')
  await server.close()
})

test('the parsers that are there from the start may be replaced, once', async () => {
  const server = createServer()
  echo(server)
  const types = ['application/json', 'text/plain']
  for (const type of types) {
    server.addContentTypeParser(type, saying('own'))
    assert.throws(() => server.addContentTypeParser(type, saying('')), { code: 'ALC_ERR_CTP_ALREADY_PRESENT' })
  }
  for (const type of types) assert.equal(await send(server, type), 'own')
  await server.close()
})

describe('the parser of a body', () => {
  test('is the one with its parameters, then that of its type, then the latest pattern, then JSON by its suffix, then that of the rest', async () => {
    const server = createServer()
    echo(server)
    const types = ['a/b', 'a/b; v=1', 'A/B; V=1; w=Two', /^a\/./, /^a\/c/, /; *p=1/, '*'] as const
    for (const type of types) server.addContentTypeParser(type, saying(String(type)))
    const cases: Record<string, string> = {
      'a/b': 'a/b',
      'A/B ; x=y': 'a/b',
      'a/b; v=1': 'a/b; v=1',
      'a/b;v="1"; x=y': 'a/b; v=1',
      'a/b; v=2': 'a/b',
      'a/b; w=tWO; v=1': 'A/B; V=1; w=Two',
      'a/c': '/^a\\/c/',
      'a/d': '/^a\\/./',
      'x/y; p=1': '/; *p=1/',
      'x/y; p=2': '*',
      'a/c; p=1': '/; *p=1/',
      'x/z; v=1': '*',
      'x/y+json': '400 undefined',
      'text/plain': 'x',
    }
    for (const [type, name] of Object.entries(cases)) assert.equal(await send(server, type), name, type)
    assert.equal(await send(server, undefined), '*')
    // What is no media type is nobody's, not even that of the rest.
    assert.equal(await send(server, 'garbage'), '415 ALC_ERR_CTP_INVALID_MEDIA_TYPE')
    // Known spellings are found once more, and so are those that nobody reads.
    for (const [type, name] of Object.entries(cases)) assert.equal(await send(server, type), name, type)
    assert.equal(await send(server, 'garbage'), '415 ALC_ERR_CTP_INVALID_MEDIA_TYPE')
    await server.close()
  })

  test('is found by a pattern that remembers its place, and by one that speaks of the type alone, each time', async () => {
    const server = createServer()
    echo(server)
    server.addContentTypeParser(/^a\/b$/g, saying('a/b'))
    for (const type of ['a/b', 'a/b; c=d', 'a/b; c=e', 'A/B']) assert.equal(await send(server, type), 'a/b', type)
    await server.close()
  })

  test('may be none: there is none for what was removed, nor where all were', async () => {
    const server = createServer()
    for (const type of ['a/b', 'a/c', 'a/b; c=d', 'a/b; c=e', /^x/, /^y/, /^w/, '*'])
      server.addContentTypeParser(type, saying(String(type)))
    server.register(
      async (child: Server) => {
        echo(child, '/')
        for (const type of ['a/b', 'a/b; c=e', 'none/there', '*']) child.removeContentTypeParser(type)
        child.removeContentTypeParser([/^y/, /^unknown/] as never)
        assert.ok(child.hasContentTypeParser(/^x/))
        assert.equal(child.hasContentTypeParser(/^y/), false)
      },
      { prefix: '/removed' },
    )
    server.register(
      async (child: Server) => {
        child.removeAllContentTypeParsers()
        echo(child, '/')
      },
      { prefix: '/cleared' },
    )
    echo(server)
    const none = '415 ALC_ERR_CTP_INVALID_MEDIA_TYPE'
    const at = async (url: string): Promise<string[]> => {
      const given: string[] = []
      for (const type of ['a/b', 'a/b; c=d', 'a/b; c=e', 'a/c', 'x/x', 'y/y', 'w/w', 'z/z', 'text/plain', undefined])
        given.push(await send(server, type, 'x', url))
      return given
    }
    assert.deepEqual(await at('/'), ['a/b', 'a/b; c=d', 'a/b; c=e', 'a/c', '/^x/', '/^y/', '/^w/', '*', 'x', '*'])
    assert.deepEqual(await at('/removed'), [none, 'a/b; c=d', none, 'a/c', '/^x/', none, '/^w/', none, 'x', none])
    assert.deepEqual(
      await at('/cleared'),
      Array.from({ length: 10 }, () => none),
    )
    await server.close()
  })

  test('is that of the context: a later one of an ancestor reaches contexts that have none of their own and keep what they are given', async () => {
    const server = createServer()
    const child = (prefix: string, declare: (child: Server) => void): void => {
      server.register(
        async (instance: Server) => {
          declare(instance)
          echo(instance, '/')
        },
        { prefix },
      )
    }
    child('/plain', () => {})
    child('/own', (instance) => void instance.addContentTypeParser(['a/b', /^x/, 'a/b; c=d', '*'], saying('own')))
    child('/cleared', (instance) => instance.removeAllContentTypeParsers())
    child('/json', (instance) => void instance.addContentTypeParser('application/json', saying('own json')))
    server.after(() => void server.addContentTypeParser(['a/b', /^x/, 'a/b; c=d', '*', 'application/json'], saying('late')))
    echo(server)
    const types = ['a/b', 'x/x', 'a/b; c=d', 'z/z', 'application/json']
    const at = (url: string): Promise<string[]> => Promise.all(types.map((type) => send(server, type, '1', url)))
    const none = '415 ALC_ERR_CTP_INVALID_MEDIA_TYPE'
    assert.deepEqual(await at('/'), ['late', 'late', 'late', 'late', 'late'])
    assert.deepEqual(await at('/plain'), ['late', 'late', 'late', 'late', 'late'])
    assert.deepEqual(await at('/own'), ['own', 'own', 'own', 'own', 'late'])
    assert.deepEqual(await at('/cleared'), [none, none, none, none, none])
    assert.deepEqual((await at('/json')).at(-1), 'own json')
    await server.close()
  })
})

describe('a content-type parser', () => {
  test('gets a text, bytes or the stream, as it asks, and its own limit', async () => {
    const server = createServer()
    echo(server)
    const kind = (body: unknown): string =>
      typeof body === 'string' ? 'text' : Buffer.isBuffer(body) ? 'bytes' : body instanceof Readable ? 'stream' : 'other'
    server.addContentTypeParser('a/text', { parseAs: 'string' }, async (_request: unknown, body: unknown) => `${kind(body)} ${body}`)
    server.addContentTypeParser(
      'a/bytes',
      { parseAs: 'buffer', bodyLimit: 3 },
      async (_request: unknown, body: unknown) => `${kind(body)} ${body}`,
    )
    server.addContentTypeParser('a/stream', async (_request: unknown, body: any) => {
      body.resume()
      return kind(body)
    })
    assert.equal(await send(server, 'a/text', 'äöü'), 'text äöü')
    assert.equal(await send(server, 'a/bytes', 'abc'), 'bytes abc')
    assert.equal(await send(server, 'a/bytes', 'abcd'), '413 ALC_ERR_CTP_BODY_TOO_LARGE')
    assert.equal(await send(server, 'a/bytes', Buffer.from([0xff])), 'bytes �')
    assert.equal(await send(server, 'a/text', Buffer.from([0xff])), '400 ALC_ERR_CTP_INVALID_UTF8')
    assert.equal(await send(server, 'a/stream'), 'stream')
    await server.close()
  })

  test('may end once: the first of what it says counts', async () => {
    const server = createServer()
    let calls = 0
    server.post('/', async (request) => {
      calls++
      await new Promise((resolve) => setImmediate(resolve))
      return request.body
    })
    server.addContentTypeParser('a/object', { parseAs }, ((_request: any, _body: any, done: any) => {
      setImmediate(() => done(null, 'first'))
      return {}
    }) as never)
    server.addContentTypeParser('a/twice', { parseAs }, (_request, _body, done) => {
      done(null, 'first')
      done(null, 'second')
      done(new Error('third'))
    })
    server.addContentTypeParser('a/throws', { parseAs }, (_request, _body, done) => {
      done(null, 'first')
      throw new Error('too late')
    })
    server.addContentTypeParser('a/both', { parseAs }, async (_request: any, _body: any, done: any) => {
      done(null, 'first')
      return 'second'
    })
    for (const type of ['a/object', 'a/twice', 'a/throws', 'a/both']) assert.equal(await send(server, type), 'first', type)
    assert.equal(calls, 4)
    await server.close()
  })

  test('that throws, or rejects, is answered, also where it does so with nothing', async () => {
    const server = createServer({ exposeErrorMessages: true })
    echo(server)
    const failing: Record<string, () => any> = {
      'a/throws': () => {
        throw new Error('thrown')
      },
      'a/throws-nothing': () => {
        throw undefined
      },
      'a/rejects': () => Promise.reject(new Error('rejected')),
      'a/rejects-nothing': () => Promise.reject(null),
    }
    for (const [type, parse] of Object.entries(failing)) server.addContentTypeParser(type, { parseAs }, parse)
    const answers = await Promise.all(
      Object.keys(failing).map((type) => server.inject({ method: 'POST', url: '/', payload: 'x', headers: { 'content-type': type } })),
    )
    assert.deepEqual(
      answers.map((answer) => [answer.statusCode, answer.json().message]),
      [
        [500, 'thrown'],
        [500, answers[1]!.json().message],
        [500, 'rejected'],
        [500, answers[3]!.json().message],
      ],
    )
    assert.deepEqual([answers[1]!.json().code, answers[3]!.json().code], ['ALC_ERR_SEND_UNDEFINED_ERR', 'ALC_ERR_SEND_UNDEFINED_ERR'])
    await server.close()
  })

  test('leaves the store of an async context that a hook entered in place', async () => {
    const storage = new AsyncLocalStorage<string>()
    const server = createServer()
    server.addHook('onRequest', (_request, _reply, done) => storage.run('entered', done))
    server.post('/', () => storage.getStore() ?? 'lost')
    await server.listen({ port: 0, host: '127.0.0.1' })
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from('[1,'))
        await new Promise((resolve) => setTimeout(resolve, 20))
        controller.enqueue(Buffer.from('2]'))
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(server.listeningOrigin, { method: 'POST', body, headers, duplex: 'half' })
    assert.equal(await answer.text(), 'entered')
    await server.close()
  })

  test('gets no __proto__ of form fields past it', async () => {
    const server = createServer()
    server.addContentTypeParser('a/form', { parseAs }, (_request, _body, done) => {
      const fields = Object.create(null)
      fields['__proto__'] = { admin: true }
      fields.name = 'x'
      done(null, fields)
    })
    server.post('/', ({ body }: any) => ({ names: Object.keys(body), admin: Object.assign({}, body).admin ?? null }))
    assert.equal(await send(server, 'a/form'), '{"names":["name"],"admin":null}')
    await server.close()
  })
})

describe('a stream that a preParsing hook puts in the place of the body', () => {
  const through = (server: Server, path: string, make: () => unknown): void => {
    server.post(
      path,
      { preParsing: async (_request: unknown, _reply: unknown, payload: Readable) => (payload.resume(), make()) } as any,
      (request) => request.body ?? null,
    )
  }

  test('may give texts', async () => {
    const server = createServer()
    through(server, '/', () => Readable.from(['{"a":', '"ä"}']))
    assert.equal(await send(server, 'application/json', '0123456789'), '{"a":"ä"}')
    await server.close()
  })

  test('is held to the declared length by what it says that it was made of, else by what it gives', async () => {
    const server = createServer()
    const giving = (received: number | undefined) => () =>
      Object.assign(Readable.from(['"four"']), received !== undefined && { receivedEncodedLength: received })
    through(server, '/silent', giving(undefined))
    through(server, '/says-nothing', giving(0))
    through(server, '/says', giving(9))
    const lengths = [6, 9]
    const answers: Record<string, string[]> = {}
    for (const path of ['/silent', '/says-nothing', '/says'])
      answers[path] = await Promise.all(lengths.map((length) => send(server, 'application/json', 'x'.repeat(length), path)))
    const wrong = '400 ALC_ERR_CTP_INVALID_CONTENT_LENGTH'
    const headers = { 'content-type': 'application/json' }
    assert.equal((await server.inject({ method: 'POST', url: '/silent', payload: '123456789', headers })).headers.connection, 'close')
    assert.deepEqual(answers, { '/silent': ['four', wrong], '/says-nothing': ['four', wrong], '/says': [wrong, 'four'] })
    await server.close()
  })

  test('is bounded by what came in, too', async () => {
    const server = createServer({ bodyLimit: 8 })
    through(server, '/within', () => Object.assign(Readable.from(['"8"']), { receivedEncodedLength: 8 }))
    through(server, '/beyond', () => Object.assign(Readable.from(['"9"']), { receivedEncodedLength: 9 }))
    const inject = (url: string) =>
      server.inject({ method: 'POST', url, payload: 'x'.repeat(8), headers: { 'content-type': 'application/json' } })
    assert.equal((await inject('/within')).body, '8')
    const beyond = await inject('/beyond')
    assert.deepEqual([beyond.statusCode, beyond.headers.connection], [413, 'close'])
    await server.close()
  })

  test('that fails is the fault of the client, unless its error has a status of one', async () => {
    const server = createServer()
    const failing = (error: unknown) => () => {
      const stream = new PassThrough()
      setImmediate(() => stream.emit('error', error))
      return stream
    }
    const cases: [error: unknown, status: number][] = [
      [new Error('plain'), 400],
      [Object.assign(new Error('with a status'), { statusCode: 422 }), 422],
      [Object.assign(new Error('first of them'), { statusCode: 400 }), 400],
      [Object.assign(new Error('of the server'), { statusCode: 503 }), 503],
      [Object.assign(new Error('no status of a failure'), { statusCode: 200 }), 400],
      [Object.assign(new Error('a text'), { statusCode: '503' }), 400],
      [Object.freeze(new Error('frozen')), 400],
      ['a text', 400],
      [null, 500],
    ]
    const causes: unknown[] = []
    server.addHook('onError', async (_request, _reply, error) => void causes.push((error as Error).cause))
    for (const [index, [error]] of cases.entries()) through(server, `/${index}`, failing(error))
    for (const [index, [, status]] of cases.entries()) {
      const answer = await server.inject({
        method: 'POST',
        url: `/${index}`,
        payload: '{}',
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(answer.statusCode, status, String(index))
    }
    assert.deepEqual(causes.slice(6, 8), [cases[6]![0], cases[7]![0]])
    await server.close()
  })

  test('is over with its first end', async () => {
    const server = createServer()
    let calls = 0
    server.addContentTypeParser('a/own', { parseAs }, async (_request: unknown, body: unknown) => {
      calls++
      return body
    })
    through(server, '/', () => {
      const stream: any = new PassThrough()
      setImmediate(() => {
        stream.emit('data', Buffer.from('1'))
        stream.emit('end')
        stream.emit('data', Buffer.from('2'))
        stream.emit('end')
        stream.emit('error', new Error('late'))
      })
      return stream
    })
    through(server, '/failed', () => {
      const stream: any = new PassThrough()
      setImmediate(() => {
        stream.emit('error', new Error('first'))
        stream.emit('data', Buffer.from('1'))
        stream.emit('end')
      })
      return stream
    })
    assert.equal(await send(server, 'a/own', '1'), '1')
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(calls, 1)
    assert.equal(await send(server, 'a/own', '1', '/failed'), '400 undefined')
    assert.equal(calls, 1)
    await server.close()
  })
})

describe('the default JSON parser', () => {
  const nested = (depth: number, filling = ''): string => `${'['.repeat(depth)}${filling}${']'.repeat(depth)}`

  test('takes values nested 1000 deep and no deeper, and brackets in texts are no nesting', async () => {
    const server = createServer()
    server.post('/', () => 'read')
    const many = '[{'.repeat(600)
    const cases: [title: string, text: string, answer: string][] = [
      ['1000 lists', nested(1000), 'read'],
      ['1001 lists', nested(1001), '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
      ['objects and lists', `${'{"a":['.repeat(501)}${']}'.repeat(501)}`, '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
      ['objects', `${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}`, '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
      ['many lists side by side', `[${Array.from({ length: 1500 }, () => '[]').join()}]`, 'read'],
      ['many objects side by side', `[${Array.from({ length: 1500 }, () => '{}').join()}]`, 'read'],
      ['brackets in a text', `["${many}${many}"]`, 'read'],
      ['brackets after an escaped quote', `["a\\"${many}${many}"]`, 'read'],
      ['brackets after a text that ends with a backslash', `["a\\\\",${nested(1000)}]`, '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
      ['brackets after a text', `["a",${nested(999)}]`, 'read'],
      ['a text without an end', `["${many}${many}`, '400 undefined'],
      ['1001 openings alone, which are no JSON', '['.repeat(2001), '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
    ]
    for (const [title, text, answer] of cases) assert.equal(await send(server, 'application/json', text), answer, title)
    await server.close()
  })

  test('refuses numbers that no double holds, wherever they stand, and takes those it holds', async () => {
    const server = createServer()
    server.post('/', () => 'read')
    const digits = (count: number): string => '9'.repeat(count)
    const tooLarge = '400 ALC_ERR_CTP_NUMBER_TOO_LARGE'
    const cases: [text: string, answer: string][] = [
      ['1e400', tooLarge],
      ['-1e400', tooLarge],
      ['[1,null,1e400,1]', tooLarge],
      ['[null,1e308]', 'read'],
      ['{"a":[{"b":1E+999}]}', tooLarge],
      [digits(310), tooLarge],
      [`[${digits(309)}]`, tooLarge],
      [`[1,${digits(209)}e99,1]`, 'read'],
      [`${digits(210)}e99`, tooLarge],
      [`${' '.repeat(103)}${digits(210)}e99`, tooLarge],
      [`${' '.repeat(104)}${digits(210)}e99${' '.repeat(50)}`, tooLarge],
      [`${' '.repeat(150)}${digits(310)}`, tooLarge],
      [digits(308), 'read'],
      ['1e308', 'read'],
      ['1e-999', 'read'],
      ['"1e400"', 'read'],
      ['null', 'read'],
      [`"${digits(400)}"`, 'read'],
    ]
    for (const [text, answer] of cases) assert.equal(await send(server, 'application/json', text), answer, text)
    await server.close()
  })

  test('is given to whoever wants to call it, also with bytes, and refuses an empty body', () => {
    const parse: any = createServer().getDefaultJsonParser('error', 'ignore')
    const call = (body: unknown): unknown[] => {
      let given: unknown[] = []
      parse({}, body, (...values: unknown[]) => (given = values))
      return given
    }
    assert.deepEqual(call(Buffer.from('{"a":1}')), [null, { a: 1 }])
    assert.deepEqual(call('{"constructor":{"prototype":1}}'), [null, { constructor: { prototype: 1 } }])
    for (const [body, code] of [
      ['', 'ALC_ERR_CTP_EMPTY_JSON_BODY'],
      [Buffer.alloc(0), 'ALC_ERR_CTP_EMPTY_JSON_BODY'],
      [null, 'ALC_ERR_CTP_EMPTY_JSON_BODY'],
      [undefined, 'ALC_ERR_CTP_EMPTY_JSON_BODY'],
    ] as const) {
      assert.equal((call(body)[0] as any).code, code)
    }
    const [failure] = call('{"__proto__":1}') as any[]
    assert.deepEqual([failure.statusCode, failure.name], [400, 'SyntaxError'])
  })

  test('refuses poisoned bodies, removes the poison or lets it pass, as the options say', async () => {
    const bodies = ['{"__proto__":{"a":1},"b":2}', '{"constructor":{"prototype":{"a":1}},"b":2}']
    for (const [action, expected] of Object.entries({ error: [400, 400], remove: ['b', 'b'], ignore: ['__proto__,b', 'constructor,b'] })) {
      const server = createServer({ onProtoPoisoning: action as any, onConstructorPoisoning: action as any })
      server.post('/', ({ body }: any) => Object.keys(body).join())
      const answers = await Promise.all(
        bodies.map((payload) => server.inject({ method: 'POST', url: '/', payload, headers: { 'content-type': 'application/json' } })),
      )
      assert.deepEqual(
        answers.map(({ statusCode, body }) => (statusCode === 200 ? body : statusCode)),
        expected,
        action,
      )
      await server.close()
    }
  })
})
