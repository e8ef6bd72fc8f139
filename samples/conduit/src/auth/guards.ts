/** The guards of the areas, which run as hooks of their contexts. */
import { Injectable, type RouteRequest } from 'alcove'
import { ApiError } from '../errors.js'
import { CurrentUser } from './current-user.js'
import { type TokenClaims, tokenIn } from './tokens.js'

type GuardedRequest = RouteRequest<unknown, [typeof TokenClaims]>

/** Identifies the user if there is a token. Refuses an invalid token, because its sender expects to be identified. */
@Injectable()
export class WelcomeVisitors {
  constructor(private readonly currentUser: CurrentUser) {}

  async onRequest(request: GuardedRequest): Promise<void> {
    if (tokenIn(request.headers.authorization) !== undefined) await identify(request, this.currentUser)
  }
}

/** Accepts only requests with a valid token. */
@Injectable()
export class RequireUser {
  static readonly security = { Token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token …' } } as const

  constructor(private readonly currentUser: CurrentUser) {}

  async onRequest(request: GuardedRequest): Promise<void> {
    if (tokenIn(request.headers.authorization) === undefined) throw new ApiError(401, { token: 'is missing' })
    await identify(request, this.currentUser)
  }
}

async function identify(request: GuardedRequest, currentUser: CurrentUser): Promise<void> {
  try {
    await request.jwtVerify()
  } catch (error) {
    request.log.info({ code: (error as { code?: string }).code }, 'token refused')
  }
  const { claims } = request
  if (claims === null) throw new ApiError(401, { token: 'is invalid' })
  await currentUser.identify(claims)
}
