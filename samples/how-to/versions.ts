/** The code of docs/how-to/versions-of-an-api.md. */
// #region prefix
import { Controller, Get, Injectable, Plugin, shared } from 'alcove'

class Prices {
  readonly cents = 1999
}

@Injectable()
@Controller('/price')
class PriceV1 {
  constructor(private readonly prices: Prices) {}

  @Get()
  show() {
    return { price: this.prices.cents / 100 }
  }
}

@Injectable()
@Controller('/price')
class PriceV2 {
  constructor(private readonly prices: Prices) {}

  @Get()
  show() {
    return { amount: this.prices.cents, currency: 'EUR' }
  }
}

@Controller('/hours')
class HoursController {
  @Get()
  list() {
    return { from: 9, to: 17 }
  }
}

@Plugin({ providers: [Prices] })
class PricesPlugin {}

@Plugin({ prefix: '/v1', routes: [PriceV1, HoursController] })
class ApiV1 {}

@Plugin({ prefix: '/v2', routes: [PriceV2, HoursController] })
class ApiV2 {}

@Plugin({ imports: [shared(PricesPlugin), ApiV1, ApiV2] })
export class PrefixApp {}
// #endregion

// #region header
@Controller('/stock', { constraints: { version: '1.2.0' } })
class StockV1 {
  @Get()
  show() {
    return { left: 3 }
  }
}

@Controller('/stock', { constraints: { version: '2.0.0' } })
class StockV2 {
  @Get()
  show() {
    return { left: 3, reserved: 1 }
  }
}

@Plugin({ routes: [StockV1, StockV2] })
export class HeaderApp {}
// #endregion

// #region strategy
import { bootstrap, type ConstraintStrategy } from 'alcove'

/** `x-api-version: 2024-06-01`: a date. Without this header, or with another date, a request gets the routes without the constraint. */
const apiVersion: ConstraintStrategy = {
  name: 'apiVersion',
  storage() {
    const routes = new Map<string, unknown>()
    return { get: (value: string) => routes.get(value) ?? null, set: (value: string, route) => void routes.set(value, route) }
  },
  deriveConstraint: ({ headers }) => headers['x-api-version'],
}

@Controller('/orders', { constraints: { apiVersion: '2024-06-01' } })
class DatedOrders {
  @Get()
  list() {
    return { orders: [] }
  }
}

@Controller('/orders')
class Orders {
  @Get()
  list() {
    return []
  }
}

@Plugin({ routes: [DatedOrders, Orders] })
class DatedApp {}

export const startDated = () => bootstrap(DatedApp, { constraints: { apiVersion } })
// #endregion
