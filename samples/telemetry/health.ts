import { setTimeout as wait } from 'node:timers/promises'
import { Controller, Get, HttpError, Injectable, Plugin, type Reply } from 'alcove'

/** What the application cannot work without: a database, a queue. Replace it by yours. */
export abstract class Dependency {
  /** Resolves if it answers. */
  abstract ping(): Promise<void>
}

/** Whether the process should get requests: not after the signal to end. */
export class Readiness {
  isEnding = false

  /** Requests are served as before until the load balancer has noticed. */
  async end(): Promise<void> {
    this.isEnding = true
    await wait(Number(process.env['SHUTDOWN_DELAY'] ?? 0)) // ms
  }
}

@Injectable()
@Controller('/health', { logLevel: 'warn', docs: { hide: true } })
class HealthController {
  constructor(
    private readonly dependency: Dependency,
    private readonly readiness: Readiness,
  ) {}

  /** Decides about restarts: the process answers. */
  @Get('/live')
  live() {
    return { status: 'ok' }
  }

  /** Decides about requests: what the application needs answers within two seconds, and the process does not end. */
  @Get({ path: '/ready', handlerTimeout: 2000 })
  async ready(_request: unknown, reply: Reply) {
    if (this.readiness.isEnding) return reply.code(503).send({ status: 'ending' })
    try {
      await this.dependency.ping()
    } catch (error) {
      throw new HttpError(503, 'The database does not answer', { expose: true, cause: error })
    }
    return { status: 'ok' }
  }
}

/** Shared, so that main.ts finds {@link Readiness} in the root. */
@Plugin({ shared: true, providers: [Readiness], routes: [HealthController] })
export class HealthPlugin {}
