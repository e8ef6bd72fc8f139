/** The code of docs/explanation/lifetimes.md: each class notes when it is made and ended. */
// #region classes
import { Controller, Get, Hook, Injectable, Plugin } from 'alcove'

export const events: string[] = []

abstract class Noting {
  constructor() {
    events.push(`new ${this.constructor.name}`)
  }
  onClose() {
    events.push(`end of ${this.constructor.name}`)
  }
}

/** One for the context that declares it: the scope `context`, the default. */
@Injectable()
class Pool extends Noting {}

/** One for each request that asks for it, shared by the hooks and the handler. */
@Injectable({ scope: 'request' })
class Transaction extends Noting {
  constructor(readonly pool: Pool) {
    super()
  }
}

/** One for each injection. */
@Injectable({ scope: 'transient' })
class Clock extends Noting {}

/** It uses a request-scoped provider, so it is made for each request, too. */
@Injectable()
class RequireOrder extends Noting {
  constructor(
    readonly transaction: Transaction,
    readonly clock: Clock,
  ) {
    super()
  }
  preHandler() {
    events.push('guard')
  }
}

@Injectable()
@Controller('/orders')
@Hook('preHandler', RequireOrder)
class OrdersController extends Noting {
  constructor(
    readonly transaction: Transaction,
    readonly clock: Clock,
  ) {
    super()
  }
  @Get()
  list() {
    events.push('handler')
    return []
  }
}

@Plugin({ providers: [Pool, Transaction, Clock], routes: [OrdersController] })
export class App {}
// #endregion
