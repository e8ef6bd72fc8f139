/** A guard of a context is passed by nothing in the contexts below. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  Controller,
  Get,
  HttpError,
  Plugin,
  type PluginOptions,
  type Reply,
  type Request,
  type Server,
  shared,
  use,
} from 'alcove'

describe('a guard of a context runs before the hooks of the contexts below, also if these', () => {
  class Cached {
    onRequest(_request: Request, reply: Reply) {
      reply.send('from the cache')
    }
  }
  class RequireUser {
    onRequest() {
      throw new HttpError(401)
    }
  }
  @Controller('/orders')
  class Orders {
    @Get()
    list() {
      return 'never'
    }
  }
  @Plugin({ hooks: { onRequest: Cached }, routes: [Orders] })
  class OrdersPlugin {}
  @Plugin({ imports: [OrdersPlugin] })
  class Bundle {}
  const files = async (instance: Server): Promise<void> => {
    instance.addHook('onRequest', (_request, reply, _done) => void reply.send('a file'))
    instance.get('/orders', () => 'never')
  }
  @Plugin({ shared: true })
  class Files {
    setup(instance: Server) {
      instance.register(files)
    }
  }
  const importing: Record<string, PluginOptions['imports']> = {
    'are of a child': [OrdersPlugin],
    'are of a child of a shared plugin': [shared(Bundle)],
    'are of a plugin function': [use(files)],
    'are of a plugin function that the setup of a shared plugin registers': [Files],
  }
  for (const [title, imports] of Object.entries(importing)) {
    test(title, async () => {
      @Plugin({ hooks: { onRequest: RequireUser }, imports })
      class App {}
      const server = await bootstrap(App)
      assert.equal((await server.inject('/orders')).statusCode, 401)
      await server.close()
    })
  }
})
