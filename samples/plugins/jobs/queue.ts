/** How does work survive a restart, and reach another process? By a queue in PostgreSQL. */
// #region queue
import { Controller, environment, factory, Hook, Injectable, LOGGER, Plugin, Post, type RouteRequest, token } from 'alcove'
import PgBoss from 'pg-boss'

export class Settings extends environment({
  type: 'object',
  required: ['DATABASE_URL'],
  properties: { DATABASE_URL: { type: 'string', format: 'uri', writeOnly: true } },
}) {}

export const QUEUE_OPTIONS = token<PgBoss.ConstructorOptions>('QUEUE_OPTIONS')

/** The client of the queue, with the methods of pg-boss. */
export class Queue extends PgBoss {}

const queueProvider = factory(Queue, [QUEUE_OPTIONS, LOGGER], async (options, log) => {
  const queue = new Queue(options)
  queue.on('error', (error) => log.error({ err: error }, 'the queue failed'))
  await queue.start()
  await queue.createQueue('welcome', { name: 'welcome', retryLimit: 3, retryDelay: 30 })
  return queue
})

@Plugin({
  shared: true,
  providers: [Settings, factory(QUEUE_OPTIONS, [Settings], (settings) => ({ connectionString: settings.DATABASE_URL })), queueProvider],
})
export class QueuePlugin {
  static readonly inject = [Queue] as const
  constructor(private readonly queue: Queue) {}

  /** Takes no more jobs, and waits for the current ones. As a hook it runs before any provider is disposed of. */
  @Hook('onClose')
  async stop() {
    await this.queue.stop({ timeout: 8_000 }) // ms; less than pluginTimeout
  }
}
// #endregion

// #region add
const register = {
  body: { type: 'object', required: ['email'], properties: { email: { type: 'string', format: 'email' } } },
  response: { 202: { type: 'object', required: ['job'], properties: { job: { type: 'string', nullable: true } } } },
} as const

@Injectable()
@Controller('/registrations')
export class RegistrationsController {
  constructor(private readonly queue: Queue) {}

  @Post({ status: 202 }, register)
  async register({ body }: RouteRequest<typeof register>) {
    return { job: await this.queue.send('welcome', { email: body.email }) }
  }
}

@Plugin({ imports: [QueuePlugin], routes: [RegistrationsController] })
export class App {}
// #endregion

// #region work
export class Mailer {
  async welcome(email: string): Promise<void> {
    console.log(`Welcome, ${email}`)
  }
}

@Plugin({ providers: [Mailer] })
export class WelcomePlugin {
  static readonly inject = [Queue, Mailer] as const
  constructor(
    private readonly queue: Queue,
    private readonly mailer: Mailer,
  ) {}

  async onReady() {
    await this.queue.work<{ email: string }>('welcome', async ([job]) => this.mailer.welcome(job!.data.email))
  }
}

@Plugin({ imports: [QueuePlugin, WelcomePlugin] })
export class WorkerApp {}
// #endregion
