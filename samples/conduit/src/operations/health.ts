/** Routes for orchestrators: is the process alive, and should it get requests? */
import { setTimeout as wait } from 'node:timers/promises'
import { Controller, Get, Injectable, Plugin, type Reply } from 'alcove'
import { CONFIG, type Config } from '../config.js'
import { Database } from '../database/database.js'

const health = { hide: true } as const

/** Whether the process accepts requests: no longer after the signal to end. */
export class Readiness {
  static readonly inject = [CONFIG] as const
  isEnding = false

  constructor(private readonly config: Config) {}

  /** Waits until load balancers have noticed. Requests are answered as before meanwhile. */
  async end(): Promise<void> {
    this.isEnding = true
    await wait(this.config.SHUTDOWN_DELAY)
  }
}

@Injectable()
@Controller()
class HealthController {
  constructor(
    private readonly db: Database,
    private readonly readiness: Readiness,
  ) {}

  @Get({ path: '/healthz', logLevel: 'warn' }, health)
  healthz() {
    return { status: 'ok' }
  }

  @Get({ path: '/readyz', logLevel: 'warn' }, health)
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

@Plugin({ routes: [HealthController] })
export class Health {}
