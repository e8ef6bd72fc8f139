/** How is a job added if, and only if, the transaction of a request commits? */
// #region within
import { Controller, HttpError, Plugin, Post, type Queue, type RouteRequest } from 'alcove'
import { QueuePlugin, WELCOMES } from './queue.js'
import { Transaction } from './transaction.js'

const register = {
  body: { type: 'object', required: ['email'], properties: { email: { type: 'string', format: 'email' } } },
} as const

@Controller('/users')
export class UsersController {
  static readonly inject = [Transaction, WELCOMES] as const
  constructor(
    private readonly transaction: Transaction,
    private readonly welcomes: Queue<{ email: string }>,
  ) {}

  @Post({ status: 201 }, register)
  async register({ body }: RouteRequest<typeof register>) {
    await this.welcomes.add({ email: body.email }, { within: this.transaction })
    const { rows } = await this.transaction.query('INSERT INTO users VALUES ($1) ON CONFLICT DO NOTHING RETURNING email', [body.email])
    if (rows.length === 0) throw new HttpError(409, 'There is such a user')
    return { email: body.email }
  }
}

@Plugin({ imports: [QueuePlugin], providers: [Transaction], routes: [UsersController] })
export class UsersApp {}
// #endregion
