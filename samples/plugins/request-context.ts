/** How is a request found without dependency injection? By the functions of @fastify/request-context. */
// #region plugin
import { fastifyRequestContext, requestContext } from '@fastify/request-context'
import { Controller, Get, Plugin, use } from 'alcove'

declare module '@fastify/request-context' {
  interface RequestContextData {
    tenant: string
  }
}

/** A plain function, called from anywhere. */
function describeTenant(): string {
  return `tenant ${requestContext.get('tenant') ?? 'none'}`
}

@Controller('/tenant')
class TenantController {
  @Get()
  show() {
    return { tenant: describeTenant() }
  }
}

@Plugin({
  imports: [
    use(fastifyRequestContext, {
      defaultStoreValues: ({ headers }) => ({ tenant: String(headers['x-tenant']) }),
    }),
  ],
  routes: [TenantController],
})
export class App {}
// #endregion
