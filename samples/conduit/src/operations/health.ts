/** What an orchestrator asks: is the process alive, and should it get requests? */
import { setTimeout as wait } from 'node:timers/promises'
import { Config as RouteConfig, Controller, Get, Hook, Injectable, Plugin, type Reply, Schema } from 'alcove'
import { CONFIG, type Config } from '../config.js'
import { Database } from '../database/database.js'

const health = { hide: true } as const

/** Whether the process wants requests: not any more once it has been told to end. */
export class Readiness {
  isEnding = false
}

@Injectable()
@Controller()
@RouteConfig({ rateLimit: false })
class HealthController {
  constructor(
    private readonly db: Database,
    private readonly readiness: Readiness,
  ) {}

  @Get({ path: '/healthz', logLevel: 'warn' })
  @Schema(health)
  healthz() {
    return { status: 'ok' }
  }

  @Get({ path: '/readyz', logLevel: 'warn' })
  @Schema(health)
  async readyz(_request: unknown, reply: Reply) {
    if (this.readiness.isEnding) return reply.code(503).send({ status: 'ending' })
    try {
      await this.db.ping()
      return { status: 'ok' }
    } catch (error) {
      reply.log.error({ err: error }, 'the database does not answer')
      return reply.code(503).send({ status: 'the database does not answer' })
    }
  }
}

@Plugin({ providers: [Readiness], routes: [HealthController] })
export class Health {
  static readonly inject = [CONFIG, Readiness] as const
  constructor(
    private readonly config: Config,
    private readonly readiness: Readiness,
  ) {}

  /** Load balancers need a moment to see it: until they have, requests are answered as before. */
  @Hook('preClose')
  async drain(): Promise<void> {
    this.readiness.isEnding = true
    await wait(this.config.SHUTDOWN_DELAY)
  }
}
