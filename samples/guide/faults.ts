/** An application with two mistakes, for docs/guide/contexts.md; faults.txt is what its boot reports. */
// #region faults
import { Controller, Get, Injectable, Plugin } from 'alcove'

class Repo {}

@Injectable()
@Controller('/invoices')
class InvoiceRoute {
  constructor(private readonly repo: Repo) {}

  @Get()
  list() {
    return { repo: this.repo }
  }
}

@Plugin({ providers: [Repo] })
class UsersPlugin {}

@Plugin({ routes: [InvoiceRoute] })
class BillingPlugin {}

@Injectable({ scope: 'request' })
class Tx {}

@Injectable()
class Cache {
  constructor(readonly tx: Tx) {}
}

@Plugin({ providers: [Tx, Cache], imports: [UsersPlugin, BillingPlugin] })
export class App {}
// #endregion
