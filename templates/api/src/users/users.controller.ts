import { Config, Controller, Get, Hook, Injectable, Post, ref, type RouteRequest, Without } from 'alcove'
import { CurrentUser, RequireUser, Unauthorized } from '../auth/auth.plugin.js'
import { Tokens } from '../auth/tokens.js'
import { Credentials, EmailTaken, User, WrongCredentials } from './user.models.js'
import { Users } from './users.js'

const register = { body: ref(Credentials), response: { 201: { ...ref(User), description: 'The new user' } } } as const
const login = {
  body: ref(Credentials),
  response: {
    200: {
      type: 'object',
      description: 'A token for the header Authorization: Bearer',
      required: ['token'],
      properties: { token: { type: 'string' } },
    },
  },
} as const
const me = { response: { 200: { ...ref(User), description: 'The user of the token' } } } as const

/** Limits how often a client may call a route, so that it cannot try many passwords. */
const Rarely = () => Config({ rateLimit: { max: 10, timeWindow: '1 minute' } })

@Injectable()
@Controller('/users', { docs: { tags: ['users'] } })
export class UsersController {
  constructor(
    private readonly users: Users,
    private readonly tokens: Tokens,
  ) {}

  @Post({ status: 201, throws: [EmailTaken] }, register)
  @Without(CurrentUser)
  @Rarely()
  register({ body }: RouteRequest<typeof register>) {
    return this.users.create(body)
  }

  @Post({ path: '/login', throws: [WrongCredentials] }, login)
  @Without(CurrentUser)
  @Rarely()
  async login({ body }: RouteRequest<typeof login>) {
    const { id } = await this.users.identify(body)
    return { token: await this.tokens.sign(id) }
  }

  @Get('/me', me)
  @Hook('onRequest', RequireUser)
  async me({ user }: RouteRequest<typeof me, [typeof CurrentUser]>) {
    const found = await this.users.find(user.id)
    if (found === undefined) throw new Unauthorized()
    return found
  }
}
