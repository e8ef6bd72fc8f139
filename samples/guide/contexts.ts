/** The code of docs/guide/contexts.md: a tree of plugins, and what each of them sees. */
// #region tree
import { bootstrap, Controller, Get, Injectable, Plugin } from 'alcove'

class Clock {
  now() {
    return new Date().toISOString()
  }
}

@Injectable()
@Controller('/users')
class UsersController {
  constructor(private readonly clock: Clock) {}

  @Get()
  list() {
    return { users: [], at: this.clock.now() }
  }
}

@Plugin({ routes: [UsersController] })
class UsersPlugin {}

@Plugin()
class BillingPlugin {}

@Plugin({ providers: [Clock], imports: [UsersPlugin, BillingPlugin] })
export class App {} // UsersPlugin and BillingPlugin see Clock, and nothing of each other
// #endregion

export async function start() {
  // #region start
  const server = await bootstrap(App, { logger: true })
  await server.listen({ port: Number(process.env['PORT'] ?? 8000) })
  // #endregion
  return server
}
