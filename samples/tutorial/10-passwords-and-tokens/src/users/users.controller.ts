import { Controller, Get, Hook, Injectable, Post, ref, type RouteRequest, Without } from 'alcove'
import { CurrentUser, RequireUser, Unauthorized } from '../auth/auth.plugin.js'
import { Tokens } from '../auth/tokens.js'
import { Credentials, EmailTaken, User, WrongCredentials } from './user.models.js'
import { Users } from './users.js'

const register = { body: ref(Credentials), response: { 201: ref(User) } } as const
// #region login
const login = {
  body: ref(Credentials),
  response: { 200: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } } },
} as const
// #endregion
const me = { response: { 200: ref(User) } } as const

@Injectable()
@Controller('/users')
export class UsersController {
  constructor(
    private readonly users: Users,
    private readonly tokens: Tokens,
  ) {}

  @Post({ status: 201, throws: [EmailTaken] }, register)
  @Without(CurrentUser)
  register({ body }: RouteRequest<typeof register>) {
    return this.users.create(body)
  }

  // #region login
  @Post({ path: '/login', throws: [WrongCredentials] }, login)
  @Without(CurrentUser)
  async login({ body }: RouteRequest<typeof login>) {
    const { id } = await this.users.identify(body)
    return { token: await this.tokens.sign(id) }
  }
  // #endregion

  @Get('/me', me)
  @Hook('onRequest', RequireUser)
  async me({ user }: RouteRequest<typeof me, [typeof CurrentUser]>) {
    const found = await this.users.find(user.id)
    if (found === undefined) throw new Unauthorized()
    return found
  }
}
