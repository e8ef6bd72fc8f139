/** Content-type parsers: how they are added, removed and replaced, and which one is found for a body. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import { echo, parserNamed, send } from '../../fixtures/bodies.js'

const parseAs = 'string' as const

const refused: [title: string, add: (server: any) => unknown, code: string][] = [
  [
    'for a type that is neither a string nor a RegExp',
    (server) => server.addContentTypeParser(7, parserNamed('')),
    'ALC_ERR_CTP_INVALID_TYPE',
  ],
  ['for an empty type', (server) => server.addContentTypeParser(' ', parserNamed('')), 'ALC_ERR_CTP_EMPTY_TYPE'],
  ['that is not a function', (server) => server.addContentTypeParser('a/b', { parseAs }), 'ALC_ERR_CTP_INVALID_HANDLER'],
  ['without options and without a function', (server) => server.addContentTypeParser('a/b'), 'ALC_ERR_CTP_INVALID_HANDLER'],
  [
    'with an unknown parseAs',
    (server) => server.addContentTypeParser('a/b', { parseAs: 'json' }, parserNamed('')),
    'ALC_ERR_CTP_INVALID_PARSE_TYPE',
  ],
  ['that is looked up by a value that is not a type', (server) => server.hasContentTypeParser(7), 'ALC_ERR_CTP_INVALID_TYPE'],
  ['that is removed by a value that is not a type', (server) => server.removeContentTypeParser(7), 'ALC_ERR_CTP_INVALID_TYPE'],
]

for (const type of ['a/b', 'a/b; c=d', /^a/, 'multipart', '*'] as const) {
  const add = (server: Server): unknown => server.addContentTypeParser(type, parserNamed('')).addContentTypeParser(type, parserNamed(''))
  refused.push([`for ${String(type)} twice`, add, 'ALC_ERR_CTP_ALREADY_PRESENT'])
}

for (const [title, add, code] of refused) {
  test(`a content-type parser is refused: ${title}`, () => {
    assert.throws(() => add(createServer()), { code })
  })
}

test('a content-type parser is found by its type, regardless of case and surrounding spaces', async () => {
  const server = createServer()
  server.addContentTypeParser(' A/B ', parserNamed('a/b'))
  assert.throws(() => server.addContentTypeParser('a/b', parserNamed('')), { code: 'ALC_ERR_CTP_ALREADY_PRESENT' })
  assert.ok(server.hasContentTypeParser('a/B '))
  server.removeContentTypeParser('A/b ')
  assert.equal(server.hasContentTypeParser('a/b'), false)
  assert.equal(server.hasContentTypeParser('*'), false)
  server.addContentTypeParser('a/b; c=d', parserNamed('with a parameter'))
  server.addContentTypeParser('*', parserNamed('the rest'))
  server.removeContentTypeParser(' * ')
  assert.deepEqual([server.hasContentTypeParser('*'), server.hasContentTypeParser('a/b; c=d')], [false, true])
  await server.close()
})

test('a content-type parser for a malformed type does not affect the others, and the empty type means the parser for all other types', async () => {
  const server = createServer()
  echo(server)
  server.addContentTypeParser('json', parserNamed('json'))
  assert.ok(server.hasContentTypeParser('json'))
  assert.equal(server.hasContentTypeParser(''), false)
  server.addContentTypeParser('*', parserNamed('rest'))
  assert.ok(server.hasContentTypeParser(''))
  assert.equal(await send(server, 'application/json', '{"a":1}'), '{"a":1}')
  assert.equal(await send(server, 'json'), '415 ALC_ERR_CTP_INVALID_MEDIA_TYPE')
  await server.close()
})

test('the built-in parsers may be replaced, once', async () => {
  const server = createServer()
  echo(server)
  const types = ['application/json', 'text/plain']
  for (const type of types) {
    server.addContentTypeParser(type, parserNamed('own'))
    assert.throws(() => server.addContentTypeParser(type, parserNamed('')), { code: 'ALC_ERR_CTP_ALREADY_PRESENT' })
  }
  for (const type of types) assert.equal(await send(server, type), 'own')
  await server.close()
})

describe('the parser of a body', () => {
  test('is the one for its parameters, then for its type, then of the latest matching pattern, then JSON for the suffix +json, then the one for all other types', async () => {
    const server = createServer()
    echo(server)
    const types = ['a/b', 'a/b; v=1', 'A/B; V=1; w=Two', /^a\/./, /^a\/c/, /; *p=1/, '*'] as const
    for (const type of types) server.addContentTypeParser(type, parserNamed(String(type)))
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
    // A malformed type has no parser. The one for all other types does not count.
    assert.equal(await send(server, 'garbage'), '415 ALC_ERR_CTP_INVALID_MEDIA_TYPE')
    // The results are cached, also for types without a parser: a second request gets the same one.
    for (const [type, name] of Object.entries(cases)) assert.equal(await send(server, type), name, type)
    assert.equal(await send(server, 'garbage'), '415 ALC_ERR_CTP_INVALID_MEDIA_TYPE')
    await server.close()
  })

  test('may be that of a part of the type, if no other but the one for all other types matches', async () => {
    const server = createServer()
    for (const type of ['Multipart', 'json', 'b; v', 'a/b', /^multipart\/mixed$/, '*'])
      server.addContentTypeParser(type, parserNamed(String(type)))
    server.register(
      async (child: Server) => {
        echo(child, '/')
        assert.ok(child.hasContentTypeParser('multipart'))
        child.removeContentTypeParser('multipart')
        assert.equal(child.hasContentTypeParser('multipart'), false)
      },
      { prefix: '/removed' },
    )
    echo(server)
    const cases: Record<string, string> = {
      'multipart/form-data; boundary=x': 'Multipart',
      'multipart/mixed': '/^multipart\\/mixed$/',
      'application/x-json': 'json',
      'application/json': '400 undefined',
      'a/b': 'a/b',
      'x/y; z=json': '*',
      'x/b; V=1': 'b; v',
      'x/b; w=1': '*',
    }
    for (const [type, name] of Object.entries(cases)) assert.equal(await send(server, type), name, type)
    assert.equal(await send(server, 'multipart/form-data', 'x', '/removed'), '*')
    await server.close()
  })

  test('is found by a global pattern each time, although `lastIndex` moves, and by a pattern that matches only the type without parameters', async () => {
    const server = createServer()
    echo(server)
    server.addContentTypeParser(/^a\/b$/g, parserNamed('a/b'))
    for (const type of ['a/b', 'a/b; c=d', 'a/b; c=e', 'A/B']) assert.equal(await send(server, type), 'a/b', type)
    await server.close()
  })

  test('does not exist if it was removed, alone or with all others', async () => {
    const server = createServer()
    for (const type of ['a/b', 'a/c', 'a/b; c=d', 'a/b; c=e', /^x/, /^y/, /^w/, '*'])
      server.addContentTypeParser(type, parserNamed(String(type)))
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

  test('is that of the context: one that is added to an ancestor later reaches the contexts that neither have their own nor removed it', async () => {
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
    child('/own', (instance) => void instance.addContentTypeParser(['a/b', /^x/, 'a/b; c=d', '*'], parserNamed('own')))
    child('/cleared', (instance) => instance.removeAllContentTypeParsers())
    child('/json', (instance) => void instance.addContentTypeParser('application/json', parserNamed('own json')))
    server.after(() => void server.addContentTypeParser(['a/b', /^x/, 'a/b; c=d', '*', 'application/json'], parserNamed('late')))
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

test('the error of a parser that exists already names its type as it is compared', () => {
  const server = createServer()
  server.addContentTypeParser('text/html', parserNamed(''))
  assert.throws(() => server.addContentTypeParser('  TEXT/html', parserNamed('')), {
    message: "Content type parser 'text/html' already present.",
  })
})

for (const sent of ['application/x; charset="utf8"', 'application/x;charset=utf8', 'Application/X ;  Charset=utf8']) {
  test(`a RegExp on a parameter matches ${sent}, however the client writes it`, async () => {
    const server = createServer()
    server.addContentTypeParser(/^application\/x; charset="utf8"$/, { parseAs }, (_request, body, done) => done(null, body))
    server.post('/', ({ body }) => body)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(server.listeningOrigin, { method: 'POST', body: 'text', headers: { 'content-type': sent } })
    assert.deepEqual([answer.status, await answer.text()], [200, 'text'])
    await server.close()
  })
}

test('a parser with the limit 0 has the limit of the server', async () => {
  const server = createServer({ bodyLimit: 10 })
  server.addContentTypeParser('a/text', { parseAs, bodyLimit: 0 }, (_request, body, done) => done(null, body))
  server.addContentTypeParser('a/stream', { bodyLimit: 0 }, async (_request: unknown, stream: AsyncIterable<Buffer>) => {
    let length = 0
    for await (const chunk of stream) length += chunk.length
    return length
  })
  server.post('/', ({ body }) => ({ body }))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const post = (type: string, length: number): Promise<Response> =>
    fetch(server.listeningOrigin, { method: 'POST', body: 'x'.repeat(length), headers: { 'content-type': type } })
  assert.deepEqual(await (await post('a/text', 10)).json(), { body: 'x'.repeat(10) })
  assert.equal((await post('a/text', 11)).status, 413)
  // The limit of the server is for parsers that get the whole body.
  assert.deepEqual(await (await post('a/stream', 11)).json(), { body: 11 })
  await server.close()
})
