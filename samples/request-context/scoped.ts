/** How does a class belong to one request? By its scope. */
import { Controller, Get, Injectable, Plugin, REQUEST, type Request } from 'alcove'

/** One for each request. */
@Injectable({ scope: 'request' })
export class CurrentTenant {
  static readonly inject = [REQUEST] as const
  readonly name: string
  constructor({ headers }: Request) {
    this.name = String(headers['x-tenant'] ?? 'none')
  }
}

/** It uses a request-scoped provider, so it says that it is one itself. */
@Injectable({ scope: 'request' })
export class Orders {
  constructor(private readonly tenant: CurrentTenant) {}

  list(): string[] {
    return [`an order of ${this.tenant.name}`]
  }
}

@Injectable()
@Controller('/orders')
class OrdersController {
  constructor(private readonly orders: Orders) {}

  @Get()
  list() {
    return this.orders.list()
  }
}

@Plugin({ providers: [CurrentTenant, Orders], routes: [OrdersController] })
export class App {}
