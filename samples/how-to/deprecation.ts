/** The code of docs/how-to/deprecation.md. */
// #region controller
import { Controller, Get, Plugin } from 'alcove'

@Controller('/orders', {
  deprecated: { since: '2026-06-30', sunset: '2099-12-31', link: 'https://shop.example/changes#orders' },
})
export class OldOrders {
  @Get()
  list() {
    return [{ id: 1, total: 19.99 }]
  }

  @Get('/:id')
  find() {
    return { id: 1, total: 19.99 }
  }
}
// #endregion

// #region plugin
@Controller('/price')
export class PriceV1 {
  @Get()
  show() {
    return { price: 19.99 }
  }

  // This route has no successor yet.
  @Get({ path: '/history', deprecated: false })
  history() {
    return []
  }
}

@Plugin({ prefix: '/v1', routes: [PriceV1], deprecated: { since: '2026-06-30', sunset: '2099-12-31', link: '/v2/price' } })
export class V1 {}
// #endregion

// #region function
import { createServer, declareReplies, type Server } from 'alcove'

async function legacy(instance: Server) {
  instance.get('/status', () => 'up')
}

export function startLegacy() {
  const server = createServer()
  server.get('/health', { deprecated: { since: '2026-06-30' } }, () => 'well')
  server.register(declareReplies(legacy, { deprecated: { since: '2026-06-30', sunset: '2099-12-31' } }))
  return server
}
// #endregion

@Plugin({ routes: [OldOrders], imports: [V1] })
export class App {}
