/** The code of docs/how-to/write-a-plugin.md. */
// #region class
import { HttpError, LOGGER, type Logger, Plugin, pluginOptions, requestDecorator, type RouteRequest } from 'alcove'

export interface TenantOptions {
  /** Names of tenants by their hosts: `a.example`, or with a port as clients send it, `localhost:3000`. */
  tenants: Readonly<Record<string, string>>
}

/** `request.tenant`. */
export const Tenant = requestDecorator('tenant', '').as<string>()

export class Tenants {
  static readonly inject = [pluginOptions<TenantOptions>(), LOGGER] as const
  constructor(
    private readonly options: TenantOptions,
    private readonly log: Logger,
  ) {}

  find(host: string): string | undefined {
    const { tenants } = this.options
    // Every object has a `constructor`, but no tenant has this host.
    const tenant = Object.hasOwn(tenants, host) ? tenants[host] : undefined
    if (tenant === undefined) this.log.info({ host }, 'unknown tenant')
    return tenant
  }
}

class ReadTenant {
  static readonly inject = [Tenants] as const
  static readonly requires = [Tenant] as const
  constructor(private readonly tenants: Tenants) {}

  onRequest(request: RouteRequest<unknown, [typeof Tenant]>) {
    const tenant = this.tenants.find(request.host)
    if (tenant === undefined) throw new HttpError(404, 'There is no such tenant')
    request.tenant = tenant
  }
}

/** Shared: its decorator, its provider and its hook belong to the plugin that imports it. */
@Plugin({ shared: true, decorateRequest: [Tenant], providers: [Tenants], hooks: { onRequest: ReadTenant } })
export class TenantPlugin {
  setup(_server: unknown, _options: TenantOptions) {} // declares the type of the options
}
// #endregion

// #region use
import { Controller, Get, use } from 'alcove'

@Controller('/welcome')
class WelcomeController {
  @Get()
  show({ tenant }: RouteRequest<unknown, [typeof Tenant]>) {
    return { welcome: tenant }
  }
}

@Plugin({ imports: [use(TenantPlugin, { tenants: { 'a.example': 'Anna' } })], requires: [Tenant], routes: [WelcomeController] })
export class App {}
// #endregion
