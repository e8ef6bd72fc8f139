/** When the key of a request with `@Idempotent` is kept, and when it is given back. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bootstrap, type BootstrappedServer, type Class, Controller, Injectable, Plugin, Post, type RequestOutcome, use } from 'alcove'
import { Idempotent, IdempotencyPlugin, MemoryStore } from 'alcove/idempotency'

const send = (app: BootstrappedServer, url: string, key = 'a') => app.inject({ method: 'POST', url, headers: { 'idempotency-key': key } })

const appOf = (routes: Class, providers: Class[] = [], store = new MemoryStore()): Class => {
  @Plugin({ providers, imports: [use(IdempotencyPlugin, { store, caller: 'anyone' })], routes: [routes] as never })
  class App {}
  return App
}

describe('if the time of a request is over while its transaction commits', () => {
  let commits = 0
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
  @Injectable()
  @Controller('/pay')
  class Pay {
    static readonly inject = [Transaction] as const
    constructor(readonly transaction: Transaction) {}
    @Post({ handlerTimeout: 40 })
    @Idempotent()
    pay() {
      return { paid: true }
    }
  }

  test('the reply is kept, and the next request gets it: the work is not done again', async () => {
    commits = 0
    await using app = await bootstrap(appOf(Pay, [Transaction]), { logger: false })
    assert.equal((await send(app, '/pay')).statusCode, 503)
    assert.equal((await send(app, '/pay')).statusCode, 409, 'until it has committed')
    await wait(200)
    const again = await send(app, '/pay')
    assert.deepEqual([again.statusCode, again.json(), again.headers['idempotency-replayed']], [200, { paid: true }, 'true'])
    assert.equal(commits, 1)
  })

  test('and the transaction cannot commit, the key is given back', async () => {
    failsToCommit = true
    await using app = await bootstrap(appOf(Pay, [Transaction]), { logger: false })
    for (let attempt = 0; attempt < 2; attempt++) {
      assert.equal((await send(app, '/pay')).statusCode, 503)
      await wait(200)
    }
    failsToCommit = false
  })
})
