/** Logging that fails loses lines: every request is answered nevertheless, and the process lives. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { createServer, type Server, type ServerOptions } from 'alcove/lib'
import { exchange, get, raw, wireTest } from './wire.js'

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** A logger whose methods all do the same. */
function loggerThat(act: () => unknown, child: (logger: any) => unknown = (logger) => logger): any {
  const logger: any = { level: 'trace', child: () => child(logger) }
  for (const level of levels) logger[level] = act
  return logger
}

const fail = (): never => {
  throw new Error('secret')
}

const loggers: Record<string, () => ServerOptions['logger']> = {
  'whose methods throw': () => loggerThat(fail),
  'whose methods throw nothing': () =>
    loggerThat(() => {
      throw undefined
    }),
  'whose methods reject': () => loggerThat(() => Promise.reject(new Error('secret'))),
  'whose methods reject later': () => loggerThat(() => new Promise((_resolve, reject) => setImmediate(() => reject(new Error('secret'))))),
  'whose children throw': () => loggerThat(fail, () => loggerThat(fail)),
  'of pino whose stream throws': () => ({ level: 'trace', stream: { write: fail } }),
  'of pino whose mixin throws': () => ({ level: 'trace', mixin: fail, stream: { write() {} } }),
  'of pino whose hook throws': () => ({ level: 'trace', hooks: { logMethod: fail }, stream: { write() {} } }),
  'made by pino, whose stream throws': () => pino({ level: 'trace' }, { write: fail }),
}

function declare(server: Server): void {
  server.get('/', (request) => {
    for (const level of levels) request.log[level]('of the handler')
    return 'fine'
  })
  server.get('/fails', () => Promise.reject(new Error('of the handler')))
  server.get('/hook', { onResponse: () => Promise.reject(new Error('of a hook')) }, () => 'fine')
  server.get('/twice', (_request, reply) => void reply.send('fine').send('again'))
}

for (const [name, make] of Object.entries(loggers)) {
  wireTest(
    `a logger ${name} does not keep requests from being answered`,
    declare,
    async ({ port, server }) => {
      for (const [path, status] of Object.entries({ '/': 200, '/fails': 500, '/hook': 200, '/twice': 200, '/missing': 404, '/%': 400 })) {
        const answers = await exchange(port, get(path))
        assert.deepEqual([answers.length, answers[0]!.status], [1, status], path)
        assert.ok(!answers[0]!.body.includes('secret'))
      }
      assert.equal((await raw(port, 'garbage\r\n\r\n')).text.slice(9, 12), '400')
      server.log.info('outside of requests')
    },
    { logger: make()! },
  )
}

test('further members of a logger stay accessible, and its level can be set', () => {
  const own = Object.assign(
    loggerThat(() => {}),
    { audit: () => 'kept' },
  )
  const { log } = createServer({ logger: own })
  assert.equal((log as any).audit(), 'kept')
  log.level = 'warn'
  assert.equal(own.level, 'warn')
})

test('a logger made by pino keeps its hook and its level', () => {
  const lines: string[] = []
  const own = pino(
    {
      level: 'warn',
      hooks: {
        logMethod(args, method) {
          args[0] = `hooked ${String(args[0])}`
          method.apply(this, args)
        },
      },
    },
    { write: (line) => void lines.push(line) },
  )
  const { log } = createServer({ logger: own })
  log.info('not shown')
  log.warn('shown')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['hooked shown'],
  )
})
