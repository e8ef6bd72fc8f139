import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import { echo, parserNamed, send } from '../../fixtures/bodies.js'

const parseAs = 'string' as const

const refused: [title: string, add: (server: any) => unknown, code: string][] = [
  [
    'for a type that is neither a text nor a pattern',
    (server) => server.addContentTypeParser(7, parserNamed('')),
    'ALC_ERR_CTP_INVALID_TYPE',
  ],
  ['for nothing', (server) => server.addContentTypeParser(' ', parserNamed('')), 'ALC_ERR_CTP_EMPTY_TYPE'],
  ['that is no function', (server) => server.addContentTypeParser('a/b', { parseAs }), 'ALC_ERR_CTP_INVALID_HANDLER'],
  ['without options and without a function', (server) => server.addContentTypeParser('a/b'), 'ALC_ERR_CTP_INVALID_HANDLER'],
  [
    'as something else',
    (server) => server.addContentTypeParser('a/b', { parseAs: 'json' }, parserNamed('')),
    'ALC_ERR_CTP_INVALID_PARSE_TYPE',
  ],
  ['that is removed by something else than a type', (server) => server.removeContentTypeParser(7), 'ALC_ERR_CTP_INVALID_TYPE'],
]

for (const type of ['a/b', 'a/b; c=d', /^a/, '*'] as const) {
  const add = (server: Server): unknown => server.addContentTypeParser(type, parserNamed('')).addContentTypeParser(type, parserNamed(''))
  refused.push([`for ${String(type)} twice`, add, 'ALC_ERR_CTP_ALREADY_PRESENT'])
}

for (const [title, add, code] of refused) {
  test(`a content-type parser is refused: ${title}`, () => {
    assert.throws(() => add(createServer()), { code })
  })
}

test('a content-type parser is known by its type, whatever the case and the spaces around it', async () => {
  const server = createServer()
  server.addContentTypeParser(' A/B ', parserNamed('a/b'))
  assert.throws(() => server.addContentTypeParser('a/b', parserNamed('')), { code: 'ALC_ERR_CTP_ALREADY_PRESENT' })
  assert.ok(server.hasContentTypeParser('a/B '))
  server.removeContentTypeParser('A/b ')
  assert.equal(server.hasContentTypeParser('a/b'), false)
  assert.equal(server.hasContentTypeParser(7 as never), false)
  assert.equal(server.hasContentTypeParser('*'), false)
  server.addContentTypeParser('a/b; c=d', parserNamed('with a parameter'))
  server.addContentTypeParser('*', parserNamed('the rest'))
  server.removeContentTypeParser(' * ')
  assert.deepEqual([server.hasContentTypeParser('*'), server.hasContentTypeParser('a/b; c=d')], [false, true])
  await server.close()
})

test('a content-type parser for what is no media type changes nothing for the others, and no type stands for all the rest', async () => {
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

test('the parsers that are there from the start may be replaced, once', async () => {
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
  test('is the one with its parameters, then that of its type, then the latest pattern, then JSON by its suffix, then that of the rest', async () => {
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
    server.addContentTypeParser(/^a\/b$/g, parserNamed('a/b'))
    for (const type of ['a/b', 'a/b; c=d', 'a/b; c=e', 'A/B']) assert.equal(await send(server, type), 'a/b', type)
    await server.close()
  })

  test('may be none: there is none for what was removed, nor where all were', async () => {
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
