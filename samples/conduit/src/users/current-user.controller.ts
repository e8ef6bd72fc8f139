/** The user who sends the request. */
import { Controller, Get, Injectable, Put, ref, type RouteRequest } from 'alcove'
import { CurrentUser } from '../auth/current-user.js'
import { Tokens } from '../auth/tokens.js'
import { refusals } from '../error.schema.js'
import { presentUser } from './present-user.js'
import { UpdateUser, User } from './user.schemas.js'
import { Users } from './users.js'

const userBody = { type: 'object', required: ['user'], properties: { user: ref(User) } } as const

const getCurrentUser = { summary: 'The current user', response: { 200: userBody, ...refusals(401, 422) } } as const

const updateCurrentUser = {
  summary: 'Change the current user',
  body: { type: 'object', required: ['user'], properties: { user: ref(UpdateUser) } },
  response: { 200: userBody, ...refusals(401, 422) },
} as const

@Injectable()
@Controller('/user', { docs: { tags: ['Current user'] } })
export class CurrentUserController {
  constructor(
    private readonly users: Users,
    private readonly tokens: Tokens,
    private readonly currentUser: CurrentUser,
  ) {}

  @Get('', getCurrentUser)
  getCurrentUser() {
    const { account } = this.currentUser
    return { user: presentUser(account, this.tokens.sign(account)) }
  }

  @Put('', updateCurrentUser)
  async updateCurrentUser({ body }: RouteRequest<typeof updateCurrentUser>) {
    const account = await this.users.update(this.currentUser.account, body.user)
    return { user: presentUser(account, this.tokens.sign(account)) }
  }
}
