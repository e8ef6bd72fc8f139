/** In which order does an application end? */
// #region app
import { setTimeout as wait } from 'node:timers/promises'
import { Controller, Get, Hook, Injectable, Plugin, type Reply } from 'alcove'

export const events: string[] = []

/** A connection that other classes use. */
export class Database {
  isOpen = true

  async query(): Promise<string> {
    if (!this.isOpen) throw new Error('The database is closed')
    return 'a row'
  }
  /** Called after all `onClose` hooks, in the reverse order of construction. */
  async onClose(): Promise<void> {
    this.isOpen = false
    events.push('database closed')
  }
}

/** Work that runs beside requests. */
@Injectable()
@Plugin({ shared: true })
export class WorkerPlugin {
  #isEnding = false
  #work: Promise<void> | undefined
  constructor(private readonly database: Database) {}

  onListen(): void {
    this.#work = this.#run()
  }

  /** A hook, and not a method `onClose`: everything that the work uses is still there. */
  @Hook('onClose')
  async stop(): Promise<void> {
    this.#isEnding = true
    await this.#work
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      await wait(50)
      await this.database.query()
    }
    events.push('worker ended')
  }
}

@Injectable()
@Controller('/orders')
class OrdersController {
  constructor(private readonly database: Database) {}

  @Get()
  async list() {
    await wait(600)
    const row = await this.database.query()
    events.push('request answered')
    return [row]
  }
}

/** Whether the process should get requests: not after the signal to end. */
export class Readiness {
  isEnding = false

  /** Requests are served as before until the load balancer has noticed. */
  async end(): Promise<void> {
    this.isEnding = true
    events.push('not ready')
    await wait(Number(process.env['SHUTDOWN_DELAY'] ?? 0)) // ms
  }
}

@Injectable()
@Controller('/ready', { logLevel: 'warn' })
class ReadyController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  show(_request: unknown, reply: Reply) {
    return this.readiness.isEnding ? reply.code(503).send({ status: 'ending' }) : { status: 'ok' }
  }
}

@Plugin({ routes: [OrdersController] })
class OrdersPlugin {
  @Hook('onClose')
  close(): void {
    events.push('onClose of OrdersPlugin')
  }
}

@Plugin({ providers: [Database, Readiness], routes: [ReadyController], imports: [WorkerPlugin, OrdersPlugin] })
export class App {
  @Hook('preClose')
  leave(): void {
    events.push('preClose: the port is still open')
  }
  @Hook('onClose')
  close(): void {
    events.push('onClose of App')
  }
}
// #endregion
