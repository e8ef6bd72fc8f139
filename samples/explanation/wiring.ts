/** The code of docs/explanation/wiring.md: an application with three faults. */
// #region faults
import { Controller, Get, Injectable, Plugin } from 'alcove'

class Invoices {}

@Injectable({ scope: 'request' })
class Transaction {}

@Injectable()
class Cache {
  constructor(readonly transaction: Transaction) {}
}

const find = { params: { type: 'object', required: ['yaer'], properties: { yaer: { type: 'integer' } } } } as const

@Injectable()
@Controller('/reports')
class ReportsController {
  constructor(readonly invoices: Invoices) {}

  @Get('/:year', find)
  find() {
    return []
  }
}

@Plugin({ providers: [Invoices] })
class BillingPlugin {}

@Plugin({ routes: [ReportsController] })
class ReportsPlugin {}

@Plugin({ providers: [Transaction, Cache], imports: [BillingPlugin, ReportsPlugin] })
export class App {}
// #endregion
