import { Tenant, TenantPlugin } from '@acme/tenants'
import { Controller, Get, Plugin, type RouteRequest, use } from 'alcove'

@Controller('/orders')
class OrdersController {
  @Get()
  list({ tenant }: RouteRequest<unknown, [typeof Tenant]>) {
    return { orders: [], of: tenant }
  }
}

@Plugin({
  imports: [use(TenantPlugin, { tenants: { 'shop-key': 'Anna' } })],
  requires: [Tenant],
  routes: [OrdersController],
})
export class App {}
