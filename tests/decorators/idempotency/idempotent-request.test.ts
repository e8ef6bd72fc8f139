/** When a request with `@Idempotent` reserves its key, keeps its reply, and gives the key back. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  bootstrap,
  type BootstrappedServer,
  type Class,
  Controller,
  Hook,
  Injectable,
  Plugin,
  Post,
  type RequestOutcome,
  use,
} from 'alcove'
import { Idempotent, IdempotencyPlugin, MemoryStore } from 'alcove/idempotency'

const send = (app: BootstrappedServer, url: string, key = 'a') => app.inject({ method: 'POST', url, headers: { 'idempotency-key': key } })

const appOf = (routes: Class, providers: Class[] = [], store = new MemoryStore()): Class => {
  @Plugin({ providers, imports: [use(IdempotencyPlugin, { store, caller: 'anyone' })], routes: [routes] as never })
  class App {}
  return App
}

describe('if the time of a request is over while its transaction commits', () => {
  let commits = 0
  const outcomes: string[] = []
  let failsToCommit = false
  @Injectable({ scope: 'request' })
  class Transaction {
    static readonly endsBefore = 'reply'
    async onRequestEnd({ kind }: RequestOutcome) {
      await wait(120)
      if (failsToCommit) throw new Error('serialization failure')
      if (kind === 'completed') commits++
    }
  }
  @Injectable({ scope: 'request' })
  class Session {
    static readonly endsBefore = 'reply'
    onRequestEnd({ kind }: RequestOutcome) {
      outcomes.push(kind)
    }
  }
  @Injectable()
  @Controller('/pay')
  class Pay {
    static readonly inject = [Session, Transaction] as const
    constructor(
      readonly session: Session,
      readonly transaction: Transaction,
    ) {}
    @Post({ handlerTimeout: 40 })
    @Idempotent()
    pay() {
      return { paid: true }
    }
  }

  test('the reply is kept, and the next request gets it: the work is not done again', async () => {
    commits = 0
    outcomes.length = 0
    await using app = await bootstrap(appOf(Pay, [Session, Transaction]), { logger: false })
    assert.equal((await send(app, '/pay')).statusCode, 503)
    assert.equal((await send(app, '/pay')).statusCode, 409, 'until it has committed')
    await wait(200)
    const again = await send(app, '/pay')
    assert.deepEqual([again.statusCode, again.json(), again.headers['idempotency-replayed']], [200, { paid: true }, 'true'])
    assert.equal(commits, 1)
    assert.deepEqual(outcomes.slice(0, 1), ['completed'], 'what ends after the transaction belongs to the same work')
  })

  test('and the transaction cannot commit, the key is given back', async () => {
    failsToCommit = true
    await using app = await bootstrap(appOf(Pay, [Session, Transaction]), { logger: false })
    for (let attempt = 0; attempt < 2; attempt++) {
      assert.equal((await send(app, '/pay')).statusCode, 503)
      await wait(200)
    }
    failsToCommit = false
  })
})

describe('if a handler is not waited for any more', () => {
  let runs = 0
  let start: () => void = () => {}
  let finish: () => void = () => {}
  const store = new MemoryStore()
  @Injectable()
  @Controller('/slow')
  class Slow {
    @Post()
    @Idempotent()
    async slow() {
      runs++
      start()
      await new Promise<void>((resolve) => (finish = resolve))
      return { runs }
    }
    @Post({ path: '/timed', handlerTimeout: 30 })
    @Idempotent()
    timed() {
      return this.slow()
    }
  }
  // A closing server stops waiting for a handler as a running one does 30 s after the reply.
  const abandonIn = async (url: string): Promise<void> => {
    const begun = new Promise<void>((resolve) => (start = resolve))
    const app = await bootstrap(appOf(Slow, [], store), { logger: false, closeTimeout: 60 })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const answer = fetch(`http://127.0.0.1:${port}${url}`, { method: 'POST', headers: { 'idempotency-key': url } }).catch(() => undefined)
    await begun
    if (url !== '/slow') assert.equal((await answer)?.status, 503)
    await app.close()
  }

  for (const [url, title] of [
    ['/slow', 'the closing server has no reply of it'],
    ['/slow/timed', 'its time was over'],
  ] as const)
    test(`and ${title}, its key is left to the lease: no other request does its work beside it`, async () => {
      runs = 0
      await abandonIn(url)
      await using next = await bootstrap(appOf(Slow, [], store), { logger: false })
      assert.equal((await send(next, url, url)).statusCode, 409)
      finish()
      await wait(20)
      assert.equal((await send(next, url, url)).statusCode, 409, 'its reply is not kept, because its instances had ended')
      assert.equal(runs, 1)
    })
})

test('above a method, the decorator replaces the one of the controller, and of a parent class: a key is reserved once', async () => {
  let runs = 0
  @Injectable()
  @Controller('/base')
  @Idempotent({ required: true })
  class Base {
    @Post('/inherits')
    inherits() {
      return { run: ++runs }
    }
    @Post('/same')
    @Idempotent({ required: true })
    same() {
      return { run: ++runs }
    }
    @Post('/optional')
    @Idempotent()
    optional() {
      return { run: ++runs }
    }
  }
  @Injectable()
  @Controller('/sub')
  @Idempotent()
  class Sub extends Base {
    @Post('/required')
    @Idempotent({ required: true })
    required() {
      return { run: ++runs }
    }
  }
  for (const [routes, base, refuses] of [
    [Base, '/base', ['/inherits', '/same']],
    [Sub, '/sub', ['/same', '/required']],
  ] as const) {
    await using app = await bootstrap(appOf(routes), { logger: false })
    for (const path of ['/inherits', '/same', '/optional', ...(routes === Sub ? ['/required'] : [])]) {
      const url = base + path
      const [first, second] = [await send(app, url, path), await send(app, url, path)]
      assert.deepEqual([first.statusCode, second.body, second.headers['idempotency-replayed']], [200, first.body, 'true'], url)
      const isRefused = (refuses as readonly string[]).includes(path)
      assert.equal((await app.inject({ method: 'POST', url })).statusCode, isRefused ? 400 : 200, url)
    }
  }
})

test('the reply to an error is not called a replay, also if a hook onSend fails for a kept reply, or takes too long', async () => {
  let sends: 'well' | 'fails' | 'late' = 'well'
  class Sends {
    async onSend() {
      if (sends === 'fails') throw new Error('onSend')
      if (sends === 'late') await wait(200)
    }
  }
  @Injectable()
  @Controller('/a')
  class Route {
    @Post({ handlerTimeout: 60 })
    @Idempotent()
    @Hook('onSend', Sends)
    a() {
      return {}
    }
  }
  await using app = await bootstrap(appOf(Route), { logger: false })
  const replies: unknown[] = []
  for (sends of ['well', 'fails', 'late', 'well'] as const) {
    const { statusCode, headers } = await send(app, '/a')
    replies.push([statusCode, headers['idempotency-replayed']])
  }
  assert.deepEqual(replies, [
    [200, undefined],
    [500, undefined],
    [503, undefined],
    [200, 'true'],
  ])
})
