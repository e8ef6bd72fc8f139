/** How do browsers and proxies keep replies? By Cache-Control and ETag. */
import etag from '@fastify/etag'
import { Controller, Get, Hook, Plugin, type Reply, type Request, use } from 'alcove'

/** A hook that says who may keep a reply, and for how long. A hook of a route overrides the hook of a plugin. */
function cacheControl(value: string) {
  return (_request: Request, reply: Reply): void => {
    reply.header('cache-control', reply.statusCode < 400 ? value : 'no-store')
  }
}

@Controller('/products')
class ProductsController {
  @Get()
  @Hook('onSend', cacheControl('public, max-age=60'))
  list() {
    return [{ id: 1, name: 'Tea' }]
  }
}

@Controller('/account')
class AccountController {
  @Get()
  show() {
    return { user: 'ada', credit: 30 }
  }
}

@Plugin({
  imports: [use(etag)],
  hooks: { onSend: cacheControl('private, no-cache') },
  routes: [ProductsController, AccountController],
})
export class App {}
