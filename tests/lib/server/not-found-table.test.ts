/** One not-found handler for each prefix: two of siblings are a fault with both places, found with all others. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server, type ServerOptions } from 'alcove/lib'

/** A server whose plugins `A`, `B` … have these prefixes and a not-found handler each, which answers with the name. */
function serverOf(prefixes: readonly string[], options: ServerOptions = {}): Server {
  const server = createServer(options)
  for (const [index, prefix] of prefixes.entries()) {
    const name = String.fromCharCode(65 + index)
    const declare = async (context: Server): Promise<void> => void context.setNotFoundHandler(() => name)
    server.register(Object.defineProperty(declare, 'name', { value: name }), { prefix })
  }
  return server
}

const same: readonly [one: string, other: string, options?: ServerOptions][] = [
  ['/a', '/a'],
  ['/a', '/a/'],
  ['/:x', '/:y'],
  ['/:x(\\d+)', '/:y(\\w+)'],
  ['/A', '/a', { caseSensitive: false }],
  ['/a//b', '/a/b', { ignoreDuplicateSlashes: true }],
]
for (const [one, other, options] of same) {
  test(`siblings with the prefixes ${one} and ${other}${options ? ` and ${JSON.stringify(options)}` : ''} cannot both set a not-found handler`, async () => {
    await assert.rejects(async () => serverOf([one, other], options).ready(), {
      code: 'ALC_ERR_NOT_FOUND_HANDLER_PRESENT',
      context: 'root > B',
      message:
        `root > B sets a not-found handler for the prefix '${other}', and root > A for '${one}', which is the same to the router. ` +
        'Keep one of them, or give the plugins prefixes that differ.',
    })
  })
}

test('not-found handlers of one prefix are reported together with other faults', async () => {
  const server = serverOf(['/a', '/a', '/a'])
  server.get('/', { schema: { querystring: { type: 'nothing' } } }, () => '')
  await assert.rejects(
    async () => server.ready(),
    (error: Error) => {
      assert.match(error.message, /^3 faults were found:\n {2}- root > B sets .*\n {2}- root > C sets .*\n {2}- .*GET: \/,/)
      return true
    },
  )
})

describe('a prefix that the router refuses', () => {
  test('is named with its context', async () => {
    await assert.rejects(async () => serverOf(['/:x?']).ready(), {
      message:
        "Optional Parameter needs to be the last parameter of the path (in the prefix '/:x?' of root > A, which has a not-found handler)",
      context: 'root > A',
    })
  })
})

describe('siblings with prefixes that differ', () => {
  for (const [one, other, options] of [
    ['/A', '/a'],
    ['/a//b', '/a/b'],
    ['/a', '/a/b'],
    ['/:x', '/a'],
  ] as [string, string, ServerOptions?][]) {
    test(`have a handler each: ${one} and ${other}`, async () => {
      const server = serverOf([one, other], options)
      assert.deepEqual(
        await Promise.all([one, other].map(async (prefix) => (await server.inject(`${prefix.replace(':', '')}/none`)).body)),
        ['A', 'B'],
      )
      await server.close()
    })
  }
})

test('a plugin with the prefix / answers unknown paths if the root has no handler', async () => {
  const server = serverOf(['/'])
  assert.equal((await server.inject('/none')).body, 'A')
  await server.close()
  const both = serverOf(['/']).setNotFoundHandler(() => 'root')
  await assert.rejects(async () => both.ready(), { code: 'ALC_ERR_NOT_FOUND_HANDLER_PRESENT' })
})

test('contexts of one prefix in another case have one format of errors if the router does not tell them apart', async () => {
  const server = createServer({ caseSensitive: false })
  for (const prefix of ['/A', '/a']) server.register(async (context: Server) => void context.setErrorFormat('problem'), { prefix })
  const { headers } = await server.inject('/a/none')
  assert.match(headers['content-type'] as string, /problem\+json/)
  await server.close()
})
