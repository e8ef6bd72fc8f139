/** How does a class know the request that is at work, without being passed it? */
// #region storage
import { AsyncLocalStorage } from 'node:async_hooks'
import { Hook, Injectable, Plugin, type Request } from 'alcove'

export interface RequestFacts {
  readonly id: string
  readonly tenant: string
}

/** The facts of the request that is at work. Any provider may inject it, also one that lives as long as the application. */
export class CurrentRequest {
  readonly #storage = new AsyncLocalStorage<RequestFacts>()

  /** For the rest of this request. */
  enter(facts: RequestFacts): void {
    this.#storage.enterWith(facts)
  }

  get facts(): RequestFacts {
    const facts = this.#storage.getStore()
    if (facts === undefined) throw new Error('CurrentRequest was read outside of a request')
    return facts
  }
}

/** Shared: its hook runs for the plugin that imports it, and for those below. */
@Injectable()
@Plugin({ shared: true, providers: [CurrentRequest] })
export class CurrentRequestPlugin {
  constructor(private readonly current: CurrentRequest) {}

  @Hook('onRequest')
  enter(request: Request): void {
    this.current.enter({ id: request.id, tenant: String(request.headers['x-tenant'] ?? 'none') })
  }
}
// #endregion

// #region deep
import { Controller, Get } from 'alcove'

/** Lives as long as the application. */
@Injectable()
export class AuditLog {
  readonly lines: string[] = []
  constructor(private readonly current: CurrentRequest) {}

  write(what: string): void {
    this.lines.push(`${this.current.facts.tenant}: ${what}`)
  }
}

@Injectable()
class Orders {
  constructor(private readonly audit: AuditLog) {}

  async list(): Promise<string[]> {
    this.audit.write('orders were listed')
    return []
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

@Plugin({ imports: [CurrentRequestPlugin], providers: [AuditLog, Orders], routes: [OrdersController] })
export class App {}
// #endregion
