// #region queue
import { environment, factory, Job, JobDriver, type JobRun, LOGGER, Plugin, queue, token } from 'alcove'
import { PgBossDriver } from 'alcove/jobs'
import PgBoss from 'pg-boss'

export class Settings extends environment({
  type: 'object',
  required: ['DATABASE_URL'],
  properties: { DATABASE_URL: { type: 'string', format: 'uri', writeOnly: true } },
}) {}

export const QUEUE_OPTIONS = token<PgBoss.ConstructorOptions>('QUEUE_OPTIONS')

/** The client of pg-boss. */
export class Boss extends PgBoss {}

export const WELCOMES = queue('welcomes', {
  input: { type: 'object', required: ['email'], properties: { email: { type: 'string', format: 'email' } } },
  retry: { limit: 3, delay: 30_000 },
})

@Plugin({
  shared: true,
  providers: [
    Settings,
    factory(QUEUE_OPTIONS, [Settings], ({ DATABASE_URL }) => ({ connectionString: DATABASE_URL })),
    factory(Boss, [QUEUE_OPTIONS, LOGGER], async (options, log) => {
      const boss = new Boss(options)
      boss.on('error', (error) => log.error({ err: error }, 'pg-boss failed'))
      await boss.start()
      return boss
    }),
    factory(JobDriver, [Boss, LOGGER], (boss, log) => new PgBossDriver(boss, { log })),
    WELCOMES,
  ],
})
export class QueuePlugin {
  static readonly inject = [Boss] as const
  constructor(private readonly boss: Boss) {}

  async dispose() {
    await this.boss.stop({ timeout: 8_000 }) // ms
  }
}
// #endregion

// #region add
import { Controller, Post, type Queue, type RouteRequest } from 'alcove'

const register = {
  body: { type: 'object', required: ['email'], properties: { email: { type: 'string', format: 'email' } } },
  response: { 202: { type: 'object', required: ['job'], properties: { job: { type: 'string' } } } },
} as const

@Controller('/registrations')
export class RegistrationsController {
  static readonly inject = [WELCOMES] as const
  constructor(private readonly welcomes: Queue<{ email: string }>) {}

  @Post({ status: 202 }, register)
  async register({ body }: RouteRequest<typeof register>) {
    return { job: await this.welcomes.add({ email: body.email }) }
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

@Job({ queue: WELCOMES, concurrency: 5 })
class SendWelcome {
  static readonly inject = [Mailer] as const
  constructor(private readonly mailer: Mailer) {}

  async run({ input }: JobRun<typeof WELCOMES>) {
    await this.mailer.welcome(input.email)
  }
}

@Plugin({ imports: [QueuePlugin], providers: [Mailer], jobs: [SendWelcome] })
export class WorkerApp {}
// #endregion
