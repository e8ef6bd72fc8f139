/** The application that docs/guide/tests.md tests. */
// #region billing
import {
  Controller,
  Get,
  Hook,
  HttpError,
  httpError,
  Injectable,
  Plugin,
  type Reply,
  type Request,
  requestDecorator,
  type RouteRequest,
  use,
} from 'alcove'

export const CurrentUser = requestDecorator('user', null).as<string | null>()

export class Invoices {
  find(id: number): { id: number; total: number } | undefined {
    throw new Error(`There is no database to find invoice ${id} in`)
  }
}

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: { 200: { type: 'object', required: ['id', 'total'], properties: { id: { type: 'integer' }, total: { type: 'number' } } } },
} as const

export class NoUser extends httpError(401) {}

export class UserGuard {
  static readonly requires = [CurrentUser] as const
  static readonly throws = [NoUser] as const

  preHandler({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    if (user === null) throw new NoUser()
  }
}

@Injectable()
@Controller('/invoices')
@Hook('preHandler', UserGuard)
export class InvoicesController {
  constructor(private readonly invoices: Invoices) {}

  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    const invoice = this.invoices.find(params.id)
    if (invoice === undefined) throw new HttpError(404, 'No such invoice')
    return invoice
  }
}

@Plugin({ requires: [CurrentUser], providers: [Invoices], routes: [InvoicesController] })
export class BillingPlugin {}
// #endregion

export class ApiErrors {
  errorHandler(_error: Error, _request: Request, reply: Reply) {
    return reply.code(500).send({ by: 'ApiErrors' })
  }
}

/** Connects to a mail server when it is constructed. */
@Plugin()
export class MailPlugin {
  constructor() {
    throw new Error('There is no mail server')
  }
}

@Plugin({ decorateRequest: [CurrentUser], errorHandler: ApiErrors, imports: [BillingPlugin, use(MailPlugin, { prefix: '/mail' })] })
export class App {}
