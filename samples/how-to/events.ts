// #region event
import { domainEvent } from 'alcove'

export const REGISTERED = domainEvent('user.registered', {
  payload: {
    type: 'object',
    required: ['id', 'email'],
    properties: { id: { type: 'integer' }, email: { type: 'string', format: 'email' } },
  },
})
// #endregion

// #region emit
import { Controller, type Emitter, Post, type RouteRequest } from 'alcove'

const register = {
  body: { type: 'object', required: ['email'], properties: { email: { type: 'string', format: 'email' } } },
} as const

@Controller('/users')
export class UsersController {
  static readonly inject = [REGISTERED] as const
  constructor(private readonly registered: Emitter<{ id: number; email: string }>) {}

  @Post({ status: 201 }, register)
  async register({ body }: RouteRequest<typeof register>) {
    const user = { id: 1, email: body.email }
    await this.registered.emit(user)
    return user
  }
}
// #endregion

// #region now
import { Job, type JobRun } from 'alcove'

export class Trials {
  readonly begun: number[] = []
}

@Job({ on: REGISTERED, when: 'now' })
export class BeginTrial {
  static readonly inject = [Trials] as const
  constructor(private readonly trials: Trials) {}

  run({ input }: JobRun<typeof REGISTERED>) {
    this.trials.begun.push(input.id)
  }
}
// #endregion

// #region later
@Job({ on: REGISTERED, when: 'later' })
export class CountRegistration {
  run({ input, log }: JobRun<typeof REGISTERED>) {
    log.info(`user ${input.id} has registered`)
  }
}
// #endregion

// #region queue
@Job({ on: REGISTERED, when: 'queue', retry: { limit: 5, delay: 10_000, backoff: 'exponential' } })
export class SendWelcome {
  async run({ input, log }: JobRun<typeof REGISTERED>) {
    log.info(`Welcome, ${input.email}`)
  }
}
// #endregion

// #region plugins
import { Plugin } from 'alcove'

@Plugin({ providers: [Trials], jobs: [BeginTrial] })
export class BillingPlugin {}

@Plugin({ jobs: [CountRegistration, SendWelcome] })
export class NewsPlugin {}

@Plugin({ routes: [UsersController] })
export class UsersPlugin {}

@Plugin({ providers: [REGISTERED], imports: [UsersPlugin, BillingPlugin, NewsPlugin] })
export class App {}
// #endregion
