/** One route, and what an application may have beside it: what does it cost a request of that route? */
import type { Server } from 'node:http'
import {
  type Ambient,
  ambient,
  bootstrap,
  type Class,
  Controller,
  Get,
  Hook,
  Injectable,
  Job,
  type Next,
  Plugin,
  Post,
  type Provider,
  queue,
  type RequestOutcome,
  type ServerOptions,
  use,
} from 'alcove'
import { hello } from '../data.mjs'

@Controller('/')
class HelloController {
  @Get('', hello)
  hello() {
    return { hello: 'world' }
  }
}

@Injectable({ scope: 'request' })
class Visit {}

/** A controller whose requests each get an instance of a request-scoped class. */
function visitedBy(Scoped: Class): Class {
  @Controller('/')
  class VisitedController {
    static readonly inject = [Scoped] as const
    constructor(readonly scoped: unknown) {}

    @Get('', hello)
    hello() {
      return { hello: 'world' }
    }
  }
  return VisitedController
}

@Injectable({ scope: 'request' })
class Ending {
  kind = ''
  onRequestEnd({ kind }: RequestOutcome) {
    this.kind = kind
  }
}

@Injectable({ scope: 'request' })
class Unit {
  static readonly endsBefore = 'reply'
  kind = ''
  async onRequestEnd({ kind }: RequestOutcome) {
    this.kind = kind
    await Promise.resolve()
  }
}

class Holder {
  static readonly inject = [ambient(Visit)] as const
  constructor(private readonly visit: Ambient<Visit>) {}

  read() {
    return this.visit.current
  }
}

@Controller('/')
class ReadingController {
  static readonly inject = [Holder] as const
  constructor(private readonly holder: Holder) {}

  @Get('', hello)
  hello() {
    this.holder.read()
    return { hello: 'world' }
  }
}

class Around {
  around(_request: unknown, next: Next) {
    return next()
  }
}

@Controller('/')
class SurroundedController {
  @Get('', hello)
  @Hook('around', Around)
  hello() {
    return { hello: 'world' }
  }
}

const WORK = queue('work', { input: { type: 'object' } })

@Job({ queue: WORK })
class Work {
  run() {}
}

interface PluginParts {
  providers?: Provider[]
  routes?: Class[]
  jobs?: Class[]
  imports?: NonNullable<Parameters<typeof Plugin>[0]>['imports']
}

function pluginOf({ routes = [HelloController], ...parts }: PluginParts): Class {
  @Plugin({ routes, ...parts } as Parameters<typeof Plugin>[0])
  class App {}
  return App
}

/** The classes that an idempotent route needs, loaded only by the applications that have one. */
async function idempotency() {
  const { Idempotent, IdempotencyPlugin, MemoryStore } = await import('alcove/idempotency')
  @Controller('/payments')
  class PaymentsController {
    @Post({ status: 201 }, { body: { type: 'object' } })
    @Idempotent()
    pay() {
      return {}
    }
  }
  return { imports: [use(IdempotencyPlugin, { store: new MemoryStore(), caller: 'anyone' })], PaymentsController }
}

type Application = [App: Class, options?: ServerOptions]

/** By the names of ../parts.mjs. */
const applications: Record<string, () => Application | Promise<Application>> = {
  plain: () => [pluginOf({})],
  again: () => [pluginOf({})],
  async telemetry() {
    await import('alcove/telemetry')
    return [pluginOf({})]
  },
  async elsewhere() {
    const { imports, PaymentsController } = await idempotency()
    @Plugin({ providers: [Visit, Holder, WORK], jobs: [Work], imports, routes: [PaymentsController] })
    class Elsewhere {}
    return [pluginOf({ imports: [Elsewhere] })]
  },
  queue: () => [pluginOf({ providers: [WORK], jobs: [Work] })],
  handle: () => [pluginOf({ providers: [Visit, Holder] })],
  read: () => [pluginOf({ providers: [Visit, Holder], routes: [ReadingController] })],
  scope: () => [pluginOf({ providers: [Visit], routes: [visitedBy(Visit)] })],
  ending: () => [pluginOf({ providers: [Ending], routes: [visitedBy(Ending)] })],
  unit: () => [pluginOf({ providers: [Unit], routes: [visitedBy(Unit)] })],
  around: () => [pluginOf({ routes: [SurroundedController] })],
  async keys() {
    const { imports, PaymentsController } = await idempotency()
    return [pluginOf({ imports, routes: [HelloController, PaymentsController] })]
  },
  async observed() {
    const { openTelemetry } = await import('alcove/telemetry')
    return [pluginOf({}), { telemetry: openTelemetry() }]
  },
}

/** Returns the function that serves the application of a part. */
export function serveOf(part: string): () => Promise<Server> {
  return async () => {
    const [App, options] = await applications[part]!()
    const server = await bootstrap(App, options)
    await server.listen({ port: 0, host: '127.0.0.1' })
    return server.server
  }
}
