/** The lines that are logged for a request, and the logger of a request. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type ServerOptions } from 'alcove/lib'

/** A server that collects the lines of its log. */
function logging(options: ServerOptions = {}) {
  const lines: { level: number; msg: string; reqId?: string; req?: unknown; res?: { statusCode: number }; responseTime?: number }[] = []
  const stream = { write: (line: string) => lines.push(JSON.parse(line)) }
  return { server: createServer({ ...options, logger: { level: 'info', stream } }), lines }
}

describe('a request', () => {
  test('is logged when it arrives and when its response was sent, under its id', async () => {
    const { server, lines } = logging()
    server.get('/', (_request, reply) => reply.code(201).send('x'))
    await server.inject('/')
    const [incoming, completed] = lines
    assert.deepEqual([lines.length, incoming!.msg, completed!.msg], [2, 'incoming request', 'request completed'])
    assert.deepEqual([incoming!.reqId, completed!.reqId], ['req-1', 'req-1'])
    assert.ok(incoming!.req !== undefined)
    assert.equal(completed!.res!.statusCode, 201)
    assert.ok(completed!.responseTime! >= 0)
    await server.close()
  })

  test('is logged after its onResponse hooks', async () => {
    const { server, lines } = logging()
    server.addHook('onResponse', async ({ log }) => log.info('of the hook'))
    server.get('/', () => 'x')
    await server.inject('/')
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['incoming request', 'of the hook', 'request completed'],
    )
    await server.close()
  })

  test('is not logged with disableRequestLogging, but has a logger', async () => {
    const { server, lines } = logging({ disableRequestLogging: true })
    server.get('/', ({ log }) => {
      log.info('of the handler')
      return 'x'
    })
    await server.inject('/')
    assert.deepEqual(
      lines.map(({ msg, reqId }) => [msg, reqId]),
      [['of the handler', 'req-1']],
    )
    await server.close()
  })
})

test('the logger of a request is made by the childLoggerFactory of its context', async () => {
  const { server, lines } = logging({ requestIdLogLabel: 'id' })
  server.setChildLoggerFactory((logger, bindings, options) => logger.child({ ...bindings, own: true }, options))
  server.get('/', () => 'x')
  await server.inject('/')
  assert.ok(lines.every((line: any) => line.own === true && line.id === 'req-1'))
  await server.close()
})
