/** Routes for orchestrators: does the process live, and should it get requests? */
// #region readiness
import { setTimeout as wait } from 'node:timers/promises'
import { Controller, Get, HttpError, Injectable, Plugin, type Reply } from 'alcove'
import { Database } from './database/database.js'
import { Settings } from './settings.js'

/** Whether the process takes requests: not after the signal to end. */
@Injectable()
export class Readiness {
  isEnding = false
  constructor(private readonly settings: Settings) {}

  /** Waits until load balancers have noticed. Until then, requests are answered as before. */
  async end(): Promise<void> {
    this.isEnding = true
    await wait(this.settings.SHUTDOWN_DELAY)
  }
}
// #endregion

@Injectable()
@Controller('/health', { logLevel: 'warn', docs: { hide: true } })
export class HealthController {
  constructor(
    private readonly db: Database,
    private readonly readiness: Readiness,
  ) {}

  @Get('/live')
  live() {
    return { status: 'ok' }
  }

  /** 503 while the process ends, and if the database does not answer: `handlerTimeout` is in ms. */
  @Get({ path: '/ready', handlerTimeout: 2000 })
  async ready(_request: unknown, reply: Reply) {
    // Not an error: the log would show its stack for every probe.
    if (this.readiness.isEnding) return reply.code(503).send({ status: 'ending' })
    try {
      await this.db.query('select 1')
    } catch (error) {
      throw new HttpError(503, 'The database does not answer', { expose: true, cause: error })
    }
    return { status: 'ok' }
  }
}

/** Shared, so that `main.ts` finds `Readiness` in the root. */
@Plugin({ shared: true, providers: [Readiness], routes: [HealthController] })
export class HealthPlugin {}
