/** A logger of the application in a bundle that has no pino. */
import assert from 'node:assert/strict'
import Module from 'node:module'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

interface Resolver {
  _resolveFilename(request: string, ...others: unknown[]): string
}

test('a logger of the application needs no pino, and gets the serializers of requests and replies', async (t) => {
  const resolver = Module as unknown as Resolver
  const resolve = resolver._resolveFilename
  t.mock.method(resolver, '_resolveFilename', (request: string, ...others: unknown[]) => {
    if (request === 'pino') throw Object.assign(new Error('there is no pino'), { code: 'MODULE_NOT_FOUND' })
    return resolve.call(Module, request, ...others)
  })
  assert.throws(() => createServer({ logger: true }), { code: 'MODULE_NOT_FOUND' })

  const lines: unknown[][] = []
  const serializers: string[] = []
  const note = (...line: unknown[]): void => void lines.push(line)
  const logger = {
    level: 'info',
    info: note,
    error: note,
    warn: note,
    fatal: note,
    debug: note,
    trace: note,
    silent() {},
    child(_bindings: object, options?: { serializers?: object }) {
      serializers.push(...Object.keys(options?.serializers ?? {}))
      return logger
    },
  }
  const server = createServer({ loggerInstance: logger })
  server.get('/', () => 'ok')
  assert.equal((await server.inject('/')).statusCode, 200)
  assert.deepEqual(serializers.slice(0, 2), ['req', 'res'])
  assert.ok(lines.length > 0, 'the request is logged')
  await server.close()
})
