/** The code of docs/how-to/logging.md. */
// #region options
import { randomUUID } from 'node:crypto'
import type { ServerOptions } from 'alcove'

export const options = {
  logger: {
    level: 'info',
    redact: ['req.headers.authorization', 'req.headers.cookie', 'password', '*.password'],
  },
  genReqId: () => randomUUID(), // default: req-1, req-2 …
  requestIdHeader: false, // or the header that your proxy sets: 'x-request-id'
  requestIdLogLabel: 'requestId', // default: reqId
} satisfies ServerOptions
// #endregion

// #region lines
import { Controller, Get, Injectable, LOGGER, type Logger, Plugin, type RouteRequest } from 'alcove'

/** It gets the logger of the server, whose lines have no id of a request. */
class Mailer {
  static readonly inject = [LOGGER] as const
  constructor(private readonly log: Logger) {}

  send(to: string, text: string) {
    this.log.info({ to, length: text.length }, 'mail sent')
  }
}

/** One for each request: it gets the logger of the request. */
@Injectable({ scope: 'request' })
class Audit {
  static readonly inject = [LOGGER] as const
  readonly #log: Logger
  constructor(log: Logger) {
    this.#log = log.child({ module: 'audit' })
  }

  record(action: string) {
    this.#log.info({ action }, 'recorded')
  }
}

const remind = { params: { type: 'object', required: ['user'], properties: { user: { type: 'string' } } } } as const

@Injectable()
@Controller('/reminders')
class RemindersController {
  constructor(
    private readonly mailer: Mailer,
    private readonly audit: Audit,
  ) {}

  @Get({ path: '/:user', logLevel: 'debug' }, remind)
  remind({ params, log }: RouteRequest<typeof remind>) {
    log.debug({ user: params.user }, 'reminding') // with the id of the request
    this.mailer.send(params.user, 'Remember the milk')
    this.audit.record('remind')
    return { reminded: params.user }
  }
}

@Plugin({ providers: [Mailer, Audit], routes: [RemindersController] })
export class App {}
// #endregion
