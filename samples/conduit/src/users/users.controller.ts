/** Registration and login, for clients without a token. */
import { Config, Controller, Injectable, Post, ref, type RouteRequest } from 'alcove'
import { Tokens } from '../auth/tokens.js'
import { ApiError } from '../errors.js'
import { refusals } from '../error.schema.js'
import { presentUser } from './present-user.js'
import { LoginUser, NewUser, User } from './user.schemas.js'
import { Users } from './users.js'

const userBody = { type: 'object', required: ['user'], properties: { user: ref(User) } } as const

const login = {
  summary: 'Log in',
  body: { type: 'object', required: ['user'], properties: { user: ref(LoginUser) } },
  response: { 200: userBody, ...refusals(401, 422) },
} as const

const createUser = {
  summary: 'Register',
  body: { type: 'object', required: ['user'], properties: { user: ref(NewUser) } },
  response: { 201: userBody, ...refusals(422) },
} as const

@Injectable()
@Controller('/users', { docs: { tags: ['Users'] } })
export class UsersController {
  constructor(
    private readonly users: Users,
    private readonly tokens: Tokens,
  ) {}

  @Post({ status: 201 }, createUser)
  async createUser({ body }: RouteRequest<typeof createUser>) {
    const account = await this.users.create(body.user)
    return { user: presentUser(account, this.tokens.sign(account)) }
  }

  /** Passwords are not to be guessed. */
  @Post('/login', login)
  @Config({ rateLimit: { max: 10, timeWindow: '1 minute' } })
  async login({ body }: RouteRequest<typeof login>) {
    const account = await this.users.findByCredentials(body.user)
    if (account === undefined) throw new ApiError(401, { credentials: 'invalid' })
    return { user: presentUser(account, this.tokens.sign(account)) }
  }
}
