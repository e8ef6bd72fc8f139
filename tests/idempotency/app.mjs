/**
 * An application whose idempotency keys and orders are in PostgreSQL, in one transaction. The test kills its process: `KILL_AT` names the
 * point, once, for the first request with a key that ends with `-killed`.
 */
import { bootstrap, Controller, Injectable, optionsFrom, Plugin, Post, ambient, factory, use, token } from '../../dist/decorators/index.js'
import { Idempotent, IdempotencyPlugin, PostgresStore } from '../../dist/decorators/idempotency/index.js'
import pg from 'pg'

const { DATABASE_URL, KILL_AT, LEASE = '1000' } = process.env
const POOL = token('POOL')

const die = (point, mark) => {
  if (point === KILL_AT && mark === 'killed') process.kill(process.pid, 'SIGKILL')
}

class Transaction {
  static endsBefore = 'reply'
  static inject = [POOL]
  mark
  #begun
  constructor(pool) {
    this.pool = pool
  }
  async query(sql, values) {
    this.#begun ??= this.pool.connect().then(async (client) => (await client.query('BEGIN'), client))
    return (await this.#begun).query(sql, values)
  }
  async onRequestEnd({ kind }) {
    const client = await this.#begun
    if (client === undefined) return
    die('before the commit', this.mark)
    await client.query(kind === 'completed' ? 'COMMIT' : 'ROLLBACK')
    die('after the commit', this.mark)
  }
  async dispose() {
    ;(await this.#begun)?.release()
  }
}
Injectable({ scope: 'request' })(Transaction)

class Orders {
  static inject = [ambient(Transaction)]
  constructor(transaction) {
    this.transaction = transaction
  }
  async create({ body }) {
    const { current } = this.transaction
    current.mark = body.mark
    await current.query('INSERT INTO orders (mark) VALUES ($1)', [body.name])
    die('in the handler', body.mark)
    if (body.status !== undefined) throw Object.assign(new Error('refused'), { statusCode: body.status })
    return { name: body.name }
  }
}
Controller('/orders')(Orders)
const create = Object.getOwnPropertyDescriptor(Orders.prototype, 'create')
Post(
  { status: 201 },
  {
    body: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, mark: { type: 'string' }, status: { type: 'integer' } },
    },
  },
)(Orders.prototype, 'create', create)
Idempotent({ required: true })(Orders.prototype, 'create', create)

class Transactions {
  static inject = [ambient(Transaction)]
  constructor(transaction) {
    this.transaction = transaction
  }
}

class App {}
Plugin({
  providers: [
    factory(POOL, [], () =>
      Object.assign(new pg.Pool({ connectionString: DATABASE_URL, max: 20 }), {
        dispose: function () {
          return this.end()
        },
      }),
    ),
    Transaction,
    Transactions,
  ],
  imports: [
    use(
      IdempotencyPlugin,
      optionsFrom([POOL, Transactions], (pool, { transaction }) => ({
        store: new PostgresStore(pool, { transaction: () => transaction.current }),
        caller: 'anyone',
        lease: Number(LEASE),
      })),
    ),
  ],
  routes: [Orders],
})(App)

const app = await bootstrap(App, { logger: false })
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
