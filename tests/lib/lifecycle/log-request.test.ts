/** The lines that are logged for a request, and the logger of a request. */
import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { createServer, LogController, type Reply, type Request, type Server, type ServerOptions } from 'alcove/lib'
import { FailureLog, logFailedHook } from '../../../lib/lifecycle/log-request.js'

/** A server that collects the lines of its log. */
function logging(options: ServerOptions = {}) {
  const lines: {
    level: number
    msg: string
    reqId?: string
    req?: unknown
    res?: { statusCode: number }
    responseTime?: number
    err?: Error
  }[] = []
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

const failing = async (server: Server): Promise<void> => {
  server.get('/', () => 'x')
  server.get('/failing', () => {
    throw new Error('broken')
  })
  server.get('/stream', () => {
    const stream = new PassThrough()
    stream.write('part')
    setTimeout(() => stream.destroy(new Error('torn')), 20)
    return stream
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  for (const path of ['/', '/failing', '/none', '/stream', '/?kept', '/failing?kept']) {
    await fetch(`${server.listeningOrigin}${path}`)
      .then((answer) => answer.text())
      .catch(() => {})
  }
  await server.close()
}

describe('disableRequestLogging', () => {
  const isLogged = ({ msg }: { msg: string }): boolean => !msg.startsWith('Server listening')

  test('leaves out that requests came and ended, but not errors and missing routes', async () => {
    const { server, lines } = logging({ disableRequestLogging: true })
    await failing(server)
    assert.deepEqual(
      lines.filter(isLogged).map(({ msg }) => msg),
      ['broken', 'Route GET:/none not found', 'response terminated with an error with headers already sent', 'broken'],
    )
  })

  test('may be a function that decides for each request', async () => {
    const { server, lines } = logging({ disableRequestLogging: (request) => !request.url.endsWith('?kept') })
    assert.equal(server.initialConfig.disableRequestLogging, undefined)
    await failing(server)
    assert.deepEqual(
      lines.filter(isLogged).map(({ msg }) => msg),
      ['incoming request', 'request completed', 'incoming request', 'broken', 'request completed'],
    )
  })

  test('as a function that fails loses the lines, and the failure is logged', async () => {
    const { server, lines } = logging({ disableRequestLogging: () => Promise.reject(new Error('away')) as never })
    server.get('/', () => 'x')
    assert.equal((await server.inject('/')).body, 'x')
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['incomingRequest of the log controller failed', 'requestCompleted of the log controller failed'],
    )
    for (const { err } of lines) assert.match(err!.message, /^disableRequestLogging/)
    await server.close()
  })
})

describe('a log controller', () => {
  test('writes the lines of the server; those that it does not override stay as they are', async () => {
    const calls: string[] = []
    class Own extends LogController {
      override incomingRequest(request: Request): void {
        request.log.warn('came')
      }
      override defaultErrorLog(error: Error, _request: Request, reply: Reply): void {
        calls.push(`${reply.statusCode} ${error.message}`)
      }
      override streamError(error: Error): void {
        calls.push(error.message)
      }
    }
    const { server, lines } = logging({ logController: new Own({ requestIdLogLabel: 'id' }) })
    await failing(server)
    assert.deepEqual(calls, ['500 broken', 'torn', '500 broken'])
    assert.deepEqual(
      lines.filter((line: any) => line.id === 'req-1').map(({ msg }) => msg),
      ['came', 'request completed'],
    )
    assert.deepEqual(
      lines.filter((line: any) => line.id === 'req-3').map(({ msg }) => msg),
      ['came', 'Route GET:/none not found', 'request completed'],
    )
    assert.equal(server.initialConfig.requestIdLogLabel, 'id')
  })

  test('with disableRequestLogging is asked before each line', async () => {
    const { server, lines } = logging({ logController: new LogController({ disableRequestLogging: true }) })
    await failing(server)
    assert.deepEqual(
      lines.filter(({ msg }) => !msg.startsWith('Server listening')),
      [],
    )
  })

  test('that throws costs lines, not replies', async () => {
    class Failing extends LogController {
      override isLogDisabled(): boolean {
        throw new Error('away')
      }
    }
    const { server, lines } = logging({ logController: new Failing() })
    server.get('/', () => 'x')
    assert.equal((await server.inject('/')).body, 'x')
    assert.equal((await server.inject('/none')).statusCode, 404)
    assert.ok(lines.every(({ msg, level }) => msg.endsWith(' of the log controller failed') && level === 50))
    assert.equal(lines.length, 5)
    await server.close()
  })

  test('is told that a request is refused because the server closes', async () => {
    const refused: unknown[] = []
    class Own extends LogController {
      override serviceUnavailable(_logger: unknown, of: Server): void {
        refused.push(of)
      }
    }
    const { server } = logging({ logController: new Own(), return503OnClosing: true })
    server.get('/', () => 'x')
    let status: number | undefined
    const agent = new Agent({ keepAlive: true })
    const send = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get(server.listeningOrigin, { agent }, (answer) => {
          answer.resume().on('end', () => setImmediate(resolve, answer.statusCode))
        }).on('error', reject)
      })
    server.addHook('preClose', async () => void (status = await send()))
    await server.listen({ port: 0, host: '127.0.0.1' })
    await send()
    await server.close()
    agent.destroy()
    assert.deepEqual([status, refused], [503, [server]])
  })
})

test('the key of the request id is reqId unless a controller has another', () => {
  assert.equal(new LogController().requestIdLogLabel, 'reqId')
  assert.equal(new LogController({ requestIdLogLabel: 'id' }).requestIdLogLabel, 'id')
})

test('the line about a request that is refused has the status of its reply', () => {
  const given: unknown[] = []
  new LogController().serviceUnavailable({ info: (...args: unknown[]) => given.push(args) } as never, {} as never)
  assert.deepEqual(given, [[{ res: { statusCode: 503 } }, 'request aborted: the server is closing']])
})

test('the line about a hook that has failed has its name and the error', () => {
  const given: unknown[] = []
  logFailedHook('onTimeout', failure, { log: { error: (...args: unknown[]) => given.push(args) } } as never)
  assert.deepEqual(given, [[{ err: failure }, 'an onTimeout hook failed']])
})

/** Every line of a log controller. */
const linesOf = (log: LogController, request: any, reply: any): Record<string, () => void> => ({
  'a request that arrives': () => log.incomingRequest(request, reply),
  'a reply that was sent': () => log.requestCompleted(undefined, request, reply),
  'a reply that has failed': () => log.requestCompleted(failure, request, reply),
  'a client that has left': () => log.requestAborted(request, reply),
  'an error of the client': () => log.defaultErrorLog(failure, request, { ...reply, statusCode: 499 }),
  'an error of the server': () => log.defaultErrorLog(failure, request, { ...reply, statusCode: 500 }),
  'an error without a text': () => log.defaultErrorLog({}, request, { ...reply, statusCode: 503 }),
  'a stream whose client has left': () => log.streamError({ code: 'ERR_STREAM_PREMATURE_CLOSE' }, request, reply),
  'a stream that has failed': () => log.streamError(failure, request, reply),
  'a missing route': () => log.routeNotFound(request, reply),
  'an error reply that could not be written': () => log.writeHeadError(failure, request, reply),
  'an error that could not be serialized': () => log.serializerError(failure, request, reply, { statusCode: 409 }),
  'a request that is refused': () => log.serviceUnavailable(reply.log, {} as never),
})
const failure = new Error('fails')

const written: Record<string, [level: string, message: string, fields: string[]]> = {
  'a request that arrives': ['info', 'incoming request', ['req']],
  'a reply that was sent': ['info', 'request completed', ['res', 'responseTime']],
  'a reply that has failed': ['error', 'request errored', ['res', 'err', 'responseTime']],
  'a client that has left': ['info', 'request aborted', ['responseTime']],
  'an error of the client': ['info', 'fails', ['res', 'err']],
  'an error of the server': ['error', 'fails', ['req', 'res', 'err']],
  'an error without a text': ['error', '503', ['req', 'res', 'err']],
  'a stream whose client has left': ['info', 'stream closed prematurely', ['res']],
  'a stream that has failed': ['warn', 'response terminated with an error with headers already sent', ['err']],
  'a missing route': ['info', 'Route GET:/a not found', []],
  'an error reply that could not be written': ['error', 'the error reply could not be written', ['err']],
  'an error that could not be serialized': ['error', 'The serializer for the given status code failed', ['err', 'statusCode']],
  'a request that is refused': ['info', 'request aborted: the server is closing', ['res']],
}

for (const [name, [level, message, fields]] of Object.entries(written)) {
  test(`the line about ${name} has its level, its text and its fields, and is not written if the log is disabled`, () => {
    const lines: unknown[] = []
    const note = (at: string) => (given: object | string, text?: string) =>
      lines.push(typeof given === 'string' ? [at, given, []] : [at, text, Object.keys(given)])
    const log = { info: note('info'), warn: note('warn'), error: note('error') }
    const request = { log, raw: { method: 'GET', url: '/a' } }
    const reply = { log, elapsedTime: 5, statusCode: 200 }
    linesOf(new LogController(), request, reply)[name]!()
    assert.deepEqual(lines, [[level, message, fields]])
    lines.length = 0
    for (const disableRequestLogging of [true, () => true]) linesOf(new LogController({ disableRequestLogging }), request, reply)[name]!()
    // No request object exists that could be asked.
    assert.equal(lines.length, name === 'a request that is refused' ? 2 : 0)
    lines.length = 0
    linesOf(new FailureLog(), request, reply)[name]!()
    const isFailure = !/arrives|was sent|reply that has failed|has left/.test(name)
    assert.equal(lines.length, isFailure ? 1 : 0)
  })
}
