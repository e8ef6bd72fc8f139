/** The logger: its destination, serializers and levels, and which loggers are accepted. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createServer, type Server } from 'alcove/lib'

function collecting(): { lines: any[]; stream: { write(line: string): void } } {
  const lines: any[] = []
  return { lines, stream: { write: (line) => void lines.push(JSON.parse(line)) } }
}

test('log lines go to the file that the options name; a file and a stream together are refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-log-'))
  const file = join(folder, 'log')
  assert.throws(() => createServer({ logger: { file, stream: process.stdout } as never }), { code: 'ALC_ERR_LOG_INVALID_DESTINATION' })
  const server = createServer({ logger: { file } as never })
  server.log.info('to the file')
  // pino opens the file asynchronously.
  const read = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  for (let tries = 0; tries < 500 && !read().includes('to the file'); tries++) await wait(10)
  assert.match(read(), /"msg":"to the file"/)
  await server.close()
  rmSync(folder, { recursive: true })
})

test(
  'a full disk loses log lines, but neither ends the process nor keeps it from ending',
  { skip: process.platform !== 'linux' },
  async () => {
    const program = `
    import { createServer } from ${JSON.stringify(import.meta.resolve('alcove/lib'))}
    const server = createServer({ logger: { file: '/dev/full' } })
    server.get('/', () => 'served')
    for (let count = 0; count < 3; count++) {
      const { body } = await server.inject('/')
      await new Promise((resolve) => setTimeout(resolve, 10))
      console.log(body)
    }
    server.log.fatal('the end')
    await server.close()
  `
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { timeout: 10_000 })
    assert.equal(stdout, 'served\nserved\nserved\n')
  },
)

test('the option true logs lines from the level info on', async () => {
  const server = createServer({ logger: true })
  assert.equal((server.log as any).level, 'info')
  await server.close()
})

test('serializers that are not functions are ignored, and if one throws, its value is replaced by a note', async () => {
  const { lines, stream } = collecting()
  const serializers = {
    half: undefined as never,
    bad() {
      throw new Error('no text')
    },
    good: (value: unknown) => `the ${value}`,
  }
  const server = createServer({ logger: { stream, serializers } })
  server.log.info({ half: 1, bad: 2, good: 3 }, 'hello')
  assert.deepEqual([lines[0].half, lines[0].bad, lines[0].good], [1, 'could not be serialized', 'the 3'])
  await server.close()
})

test('a logger that lacks methods is refused, with their names', async () => {
  const silent = (): void => {}
  assert.throws(() => createServer({ logger: { info: silent, error: silent } as never }), {
    code: 'ALC_ERR_LOG_INVALID_LOGGER',
    message: /debug,fatal,warn,trace,child/,
  })
  const server = createServer()
  server.setChildLoggerFactory(() => ({ info: silent }) as never)
  server.get('/', () => 'never')
  const answer = await server.inject('/')
  assert.equal(answer.statusCode, 500)
  await server.close()
})

test('contexts and routes may have their own levels and serializers, which take precedence over those of their ancestors', async () => {
  const { lines, stream } = collecting()
  const server = createServer({ logger: { stream, level: 'error' } })
  const say = (request: any): string => {
    request.log.info({ a: 1, b: 1, c: 1 }, 'said')
    return ''
  }
  const as = (text: string) => (value: unknown) => `${text} ${value}`
  server.register(
    async (child: Server) => {
      child.get('/', say)
      child.get('/route', { logLevel: 'fatal' }, say)
      child.get('/own', { logSerializers: { b: as('route') } }, say)
      child.register(async (inner: Server) => void inner.get('/inner', say), {
        logSerializers: { a: as('inner') },
        logLevel: 'debug',
      } as never)
      child.register(async (inner: Server) => void inner.get('/inherits', say))
    },
    { prefix: '/child', logLevel: 'info', logSerializers: { a: as('child'), c: as('child') } } as never,
  )
  server.get('/', say)
  const said: Record<string, unknown> = {}
  for (const url of ['/', '/child', '/child/route', '/child/own', '/child/inner', '/child/inherits']) {
    lines.length = 0
    await server.inject(url)
    said[url] = lines.filter(({ msg }) => msg === 'said').map(({ a, b, c }) => [a, b, c])
  }
  assert.deepEqual(said, {
    '/': [],
    '/child': [['child 1', 1, 'child 1']],
    '/child/route': [],
    '/child/own': [['child 1', 'route 1', 'child 1']],
    '/child/inner': [['inner 1', 1, 'child 1']],
    '/child/inherits': [['child 1', 1, 'child 1']],
  })
  await server.close()
})

test('a log level of a route or plugin that the logger does not know fails the boot; levels of its own are known', async () => {
  const declare = async (logger: object, logLevel: string): Promise<void> => {
    const server: Server = createServer({ logger: { stream: { write() {} }, ...logger } as never })
    server.register(async (instance) => void instance.get('/plugin', () => 1), { logLevel } as never)
    server.get('/route', { logLevel } as never, () => 1)
    try {
      await server.ready()
    } finally {
      await server.close()
    }
  }
  const failure = {
    code: 'ALC_ERR_LOG_LEVEL_UNKNOWN',
    message: /'logLevel' is 'loud', .* Levels are: trace, debug, info, warn, error, fatal, silent/,
  }
  await assert.rejects(declare({}, 'loud'), failure)
  await declare({}, 'silent')
  await declare({ customLevels: { loud: 70 } }, 'loud')
})
