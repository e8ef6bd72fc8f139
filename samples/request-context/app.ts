/** How does a class that lives as long as the application know the request that is at work? By a handle. */
// #region handle
import { type Ambient, ambient, Injectable } from 'alcove'
import { CurrentTenant } from './scoped.js'

/** Lives as long as the application. */
@Injectable()
export class AuditLog {
  static readonly inject = [ambient(CurrentTenant)] as const
  readonly lines: string[] = []
  constructor(private readonly tenant: Ambient<CurrentTenant>) {}

  write(what: string): void {
    this.lines.push(`${this.tenant.current.name}: ${what}`)
  }
}
// #endregion

// #region deep
import { Controller, Get, Plugin } from 'alcove'

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

@Plugin({ providers: [CurrentTenant, AuditLog, Orders], routes: [OrdersController] })
export class App {}
// #endregion
