import { Tenant, TenantPlugin } from '@acme/tenants'
import { Controller, Get, Plugin, type RouteRequest, use } from 'alcove'

@Controller('/reports')
class ReportsController {
  @Get()
  list({ tenant }: RouteRequest<unknown, [typeof Tenant]>) {
    return [`the report of ${tenant}`]
  }
}

/** Only what is below this plugin needs a tenant. */
@Plugin({
  prefix: '/tenant',
  imports: [use(TenantPlugin, { tenants: { 'admin-key': 'Bert' } })],
  requires: [Tenant],
  routes: [ReportsController],
})
class TenantArea {}

@Controller('/health')
class HealthController {
  @Get()
  show() {
    return { status: 'ok' }
  }
}

@Plugin({ imports: [TenantArea], routes: [HealthController] })
export class App {}
