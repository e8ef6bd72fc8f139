/** The examples of docs/how-to/idempotency.md. */
// #region use
import { Controller, HttpError, Plugin, Post, requestDecorator, type RouteRequest, use } from 'alcove'
import { Idempotent, IdempotencyPlugin, MemoryStore } from 'alcove/idempotency'

export const CurrentUser = requestDecorator('user').as<{ id: string }>()

const pay = {
  body: { type: 'object', required: ['amount'], properties: { amount: { type: 'integer', minimum: 1 } } },
} as const

@Controller('/payments')
export class PaymentsController {
  payments = 0

  @Post({ status: 201 }, pay)
  @Idempotent({ required: true })
  pay({ body }: RouteRequest<typeof pay>) {
    return { payment: ++this.payments, amount: body.amount }
  }
}

class RequireUser {
  static readonly sets = [CurrentUser] as const

  onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    const id = request.headers.authorization
    if (id === undefined) throw new HttpError(401)
    request.user = { id }
  }
}

const keys = use(IdempotencyPlugin, {
  store: new MemoryStore(),
  caller: ({ user }: RouteRequest<unknown, [typeof CurrentUser]>) => user.id,
})

@Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser }, imports: [keys], routes: [PaymentsController] })
export class App {}
// #endregion use

// #region postgres
import { type Ambient, ambient, Injectable, optionsFrom } from 'alcove'
import { PostgresStore } from 'alcove/idempotency'
import { Pool, Transaction, TransfersController } from './unit-of-work.js'

/** Its handle is the transaction of the request that is at work. */
@Injectable()
class Transactions {
  static readonly inject = [ambient(Transaction)] as const
  constructor(readonly transaction: Ambient<Transaction>) {}
}

/** A pool of `pg` has this method. */
export abstract class QueryPool extends Pool {
  abstract query(sql: string, values: unknown[]): Promise<unknown>
}

@Plugin({
  providers: [Transaction, Transactions, { provide: Pool, useExisting: QueryPool }],
  imports: [
    use(
      IdempotencyPlugin,
      optionsFrom([QueryPool, Transactions], (pool, { transaction }) => ({
        store: new PostgresStore(pool, { transaction: () => transaction.current }),
        caller: 'anyone' as const,
      })),
    ),
  ],
  routes: [TransfersController],
})
export class TransfersPlugin {}
// #endregion postgres
