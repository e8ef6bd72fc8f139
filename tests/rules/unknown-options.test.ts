/** Options that do not exist: each function that takes options refuses them, because a misspelt option would have no effect. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap, closeOnSignals, compression, createServer, domainEvent, httpError, Job, queue, stream } from 'alcove'
import { version } from 'alcove/conditional'
import { clientFile } from 'alcove/contract'
import { Idempotent, MemoryStore, PostgresStore, RedisStore } from 'alcove/idempotency'
import { BullMqDriver, OutboxDriver, PgBossDriver } from 'alcove/jobs'
import { openTelemetry } from 'alcove/telemetry'
import { plugin } from '../fixtures/applications.js'

const given = (options: object): never => options as never
const nothing = {} as never
const object = { type: 'object' } as const

const calls: [misspelt: string, meant: string, call: () => unknown][] = [
  ['timeot', 'timeout', () => closeOnSignals(createServer(), given({ timeot: 5 }))],
  ['treshold', 'threshold', () => compression(given({ treshold: 1 }))],
  ['mesage', 'message', () => httpError(404, {}, given({ mesage: 'No such user' }))],
  ['hartbeat', 'heartbeat', () => stream({ type: 'string' }, given({ hartbeat: 1 }))],
  ['jsv.custmOptions', 'customOptions', () => createServer({ jsv: given({ custmOptions: {} }) })],
  ['acceptWeak', 'acceptsWeak', () => version('version', given({ acceptWeak: true }))],
  ['optionl', 'optional', () => version('version').check(given({ optionl: true }))],
  ['msv', 'msw', () => clientFile(plugin('App'), given({ msv: true }))],
  ['requird', 'required', () => Idempotent(given({ requird: true }))],
  ['maxKey', 'maxKeys', () => new MemoryStore(given({ maxKey: 1 }))],
  ['tabel', 'table', () => new PostgresStore(nothing, given({ tabel: 'keys' }))],
  ['prefx', 'prefix', () => new RedisStore(nothing, given({ prefx: 'a' }))],
  ['lockduration', 'lockDuration', () => new BullMqDriver(nothing, given({ lockduration: 1 }))],
  ['intervall', 'interval', () => new OutboxDriver(nothing, nothing, given({ intervall: 1 }))],
  ['poolInterval', 'pollInterval', () => new PgBossDriver(nothing, given({ poolInterval: 1 }))],
  ['part', 'parts', () => openTelemetry(given({ part: false }))],
]

for (const [misspelt, meant, call] of calls)
  test(`${misspelt} is refused, with the name ${meant} that was probably meant`, () => {
    assert.throws(call, { message: new RegExp(`'${misspelt}'.*Did you mean '${meant}'\\?`) })
  })

test('misspelt options of work, of a job and of an event are refused, which would run outside of its context or transaction', async () => {
  const MAILS = queue('mails', { input: object })
  const SENT = domainEvent('sent', { payload: object })
  @Job({ queue: MAILS })
  class Mail {
    run() {}
  }
  @Job({ on: SENT, when: 'now' })
  class Note {
    run() {}
  }
  class Mails {
    static readonly inject = [SENT] as const
    constructor(readonly sent: unknown) {}
  }
  const server = await bootstrap(plugin('App', { providers: [MAILS, SENT, Mails], jobs: [Mail, Note] }), { jobs: false })
  try {
    const refusals: [RegExp, () => Promise<unknown>][] = [
      [/^server\.run\(…\) has no option 'plugn'\. Did you mean 'plugin'\?$/, () => server.run(() => {}, given({ plugn: Mail }))],
      [
        /^add of the queue 'mails' has no option 'witin'\. Did you mean 'within'\?$/,
        () => server.resolve(MAILS).add({}, given({ witin: {} })),
      ],
      [/^emit of .*'sent' has no option 'witin'\. Did you mean 'within'\?$/, () => server.resolve(SENT).emit({}, given({ witin: {} }))],
    ]
    for (const [message, call] of refusals) await assert.rejects(call, { message })
  } finally {
    await server.close()
  }
})

test('a validator of the application may have options of its own in jsv', () => {
  const buildValidator = () => () => () => true
  createServer({ jsv: given({ mode: 'JTD' }), schemaController: { compilersFactory: { buildValidator } } })
})
