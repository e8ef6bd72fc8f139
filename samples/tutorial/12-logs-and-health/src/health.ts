/** Routes for orchestrators: does the process live, and should it get requests? */
import { Controller, Get, HttpError, Injectable, Plugin } from 'alcove'
import { Database } from './database/database.js'

@Injectable()
@Controller('/health', { logLevel: 'warn', docs: { hide: true } })
export class HealthController {
  constructor(private readonly db: Database) {}

  @Get('/live')
  live() {
    return { status: 'ok' }
  }

  /** 503 if the database does not answer: `handlerTimeout` is in ms. */
  @Get({ path: '/ready', handlerTimeout: 2000 })
  async ready() {
    try {
      await this.db.query('select 1')
    } catch (error) {
      throw new HttpError(503, 'The database does not answer', { expose: true, cause: error })
    }
    return { status: 'ok' }
  }
}

@Plugin({ routes: [HealthController] })
export class HealthPlugin {}
