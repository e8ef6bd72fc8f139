import assert from 'node:assert/strict'
import { type Mock, mock, test } from 'node:test'
import { Controller, Get, HttpError, Plugin, type Reply, type Request, testServer, type TestServerOptions } from 'alcove'

@Controller('/')
class Failing {
  @Get('/broken')
  broken() {
    throw new TypeError('no such column')
  }
  @Get('/expected')
  expected() {
    throw new HttpError(503, 'closed today')
  }
  @Get('/missing')
  missing() {
    throw new HttpError(404)
  }
  @Get('/silent')
  silent(_request: Request, _reply: Reply) {}
  @Get('/logged')
  logged({ log }: Request) {
    log.error(new TypeError('logged alone'))
    log.error({ err: new TypeError('logged as err') }, 'a text')
    log.error('a text alone')
    return 'ok'
  }
  @Get('/handled')
  handled() {
    throw new RangeError('handled')
  }
}

@Plugin({
  routes: [Failing],
  errorHandler(error, _request, reply) {
    if (error instanceof RangeError) return reply.code(400).send('handled')
    throw error
  },
})
class App {}

/** What requests for these paths print on stderr. */
async function printed(paths: readonly string[], options: TestServerOptions = {}): Promise<string> {
  const write: Mock<typeof process.stderr.write> = mock.method(process.stderr, 'write', () => true)
  try {
    await using app = await testServer(App, options)
    for (const path of paths) await app.inject(path)
    return write.mock.calls.map((call) => String(call.arguments[0])).join('')
  } finally {
    write.mock.restore()
  }
}

test('a test server without a logger prints an error of the application once, with its request and stack', async () => {
  assert.match(await printed(['/broken']), /^GET \/broken: TypeError: no such column\n {4}at Failing\.broken [^]*\n$/)
  assert.equal((await printed(['/broken'])).match(/no such column/g)?.length, 1)
})

test('it prints an error that the application logs, alone or as err', async () => {
  assert.deepEqual((await printed(['/logged'])).match(/Logged: .*/g), [
    'Logged: TypeError: logged alone',
    'Logged: TypeError: logged as err',
  ])
})

test('it prints nothing for errors that are answered on purpose', async () => {
  assert.equal(await printed(['/expected', '/missing', '/handled', '/nowhere']), '')
})

test('it prints nothing with a logger of its own, or with logger: false', async () => {
  assert.equal(await printed(['/broken'], { server: { logger: false } }), '')
  assert.equal(await printed(['/broken'], { server: { logger: { level: 'silent' } } }), '')
})

test('it prints the place of a handler that takes the reply and sends nothing', async () => {
  assert.match(
    await printed(['/silent'], { server: { handlerTimeout: 100 } }),
    /^GET \/silent: .*No reply within 100 ms: GET \/silent\. It waits for the handler App > Failing\.silent: it neither sent a reply/,
  )
})
