// #region queue
import { queue } from 'alcove'

export const WELCOMES = queue('welcomes', {
  input: { type: 'object', required: ['email'], properties: { email: { type: 'string', format: 'email' } } },
  retry: { limit: 3, delay: 10_000, backoff: 'exponential' }, // ms
})
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
// #endregion

// #region job
import { Injectable, Job, type JobRun } from 'alcove'

export class Mailer {
  async send(to: string, signal: AbortSignal) {
    console.log(`Welcome, ${to}`, signal.aborted)
  }
}

@Job({ queue: WELCOMES, concurrency: 5 })
@Injectable()
export class SendWelcome {
  constructor(private readonly mailer: Mailer) {}

  async run({ input, signal }: JobRun<typeof WELCOMES>) {
    await this.mailer.send(input.email, signal)
  }
}
// #endregion

// #region schedule
export class Sessions {
  cleanUps = 0
}

@Job({ cron: '0 3 * * *', timezone: 'Europe/Berlin' }) // every night at three
@Injectable()
export class CleanUp {
  constructor(private readonly sessions: Sessions) {}

  run() {
    this.sessions.cleanUps += 1
  }
}

@Job({ every: 10_000 }) // ms
export class Heartbeat {
  run({ log, scheduledAt }: JobRun) {
    log.debug(`alive at ${scheduledAt?.toISOString()}`)
  }
}
// #endregion

// #region plugin
import { Plugin } from 'alcove'

@Plugin({
  providers: [Mailer, Sessions, WELCOMES],
  routes: [RegistrationsController],
  jobs: [SendWelcome, CleanUp, Heartbeat],
})
export class App {}
// #endregion
