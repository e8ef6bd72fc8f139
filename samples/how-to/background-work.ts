/** How does work that is no request use request-scoped providers? In `server.run`. */
// #region repository
import { type Ambient, ambient, Injectable } from 'alcove'
import { Transaction } from './unit-of-work.js'

/** Lives as long as the application. */
@Injectable()
export class Invoices {
  static readonly inject = [ambient(Transaction)] as const
  constructor(private readonly transaction: Ambient<Transaction>) {}

  async close(month: string) {
    await this.transaction.current.query('UPDATE invoices SET closed = true WHERE month = $1', [month])
    await this.transaction.current.query('INSERT INTO closings VALUES ($1)', [month])
  }
}
// #endregion

// #region plugin
import { Controller, Get, Plugin } from 'alcove'

@Controller('/invoices')
class InvoicesController {
  @Get()
  list() {
    return []
  }
}

@Plugin({ providers: [Transaction, Invoices], routes: [InvoicesController] })
export class Billing {}

@Plugin({ imports: [Billing] })
export class App {}
// #endregion

// #region run
import type { BootstrappedServer } from 'alcove'

export async function closeMonth(server: BootstrappedServer, month: string) {
  await server.run(
    async (scope) => {
      const invoices = await scope.get(Invoices)
      await invoices.close(month)
      scope.log.info(`closed ${month}`)
    },
    { plugin: Billing, name: 'close month' },
  )
}
// #endregion

// #region loop
export async function follow(server: BootstrappedServer, next: (signal: AbortSignal) => Promise<string | undefined>) {
  await server.run(async ({ signal }) => {
    while (!signal.aborted) {
      const month = await next(signal)
      if (month !== undefined) await closeMonth(server, month)
    }
  })
}
// #endregion
