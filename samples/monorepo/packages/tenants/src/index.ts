import { httpError, Plugin, pluginOptions, requestDecorator, type RouteRequest } from 'alcove'

export interface TenantOptions {
  /** Names of tenants by their keys. */
  readonly tenants: Readonly<Record<string, string>>
}

/** `request.tenant`, set by the guard of {@link TenantPlugin}. */
export const Tenant = requestDecorator('tenant').as<string>()

export class NoSuchTenant extends httpError(401, {}, { message: 'Send the key of a tenant as x-tenant-key' }) {}

export class Tenants {
  static readonly inject = [pluginOptions<TenantOptions>()] as const
  readonly #options: TenantOptions
  constructor(options: TenantOptions) {
    this.#options = options
  }

  find(key: string): string | undefined {
    const { tenants } = this.#options
    // Every object has a `constructor`, but no tenant has this key.
    return Object.hasOwn(tenants, key) ? tenants[key] : undefined
  }
}

export class RequireTenant {
  static readonly inject = [Tenants] as const
  static readonly sets = [Tenant] as const
  static readonly throws = [NoSuchTenant] as const
  readonly #tenants: Tenants
  constructor(tenants: Tenants) {
    this.#tenants = tenants
  }

  onRequest(request: RouteRequest<unknown, [typeof Tenant]>): void {
    const tenant = this.#tenants.find(String(request.headers['x-tenant-key']))
    if (tenant === undefined) throw new NoSuchTenant()
    request.tenant = tenant
  }
}

/** Shared: its decorator, provider and guard belong to the plugin that imports it. */
@Plugin({ shared: true, decorateRequest: [Tenant], providers: [Tenants], hooks: { onRequest: RequireTenant } })
export class TenantPlugin {
  setup(_server: unknown, _options: TenantOptions): void {} // declares the type of the options
}
