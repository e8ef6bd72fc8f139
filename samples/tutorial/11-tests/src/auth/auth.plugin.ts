/** Who sends a request? Shared: its decorator and its tokens serve the whole API. */
import { httpError, Injectable, Plugin, requestDecorator, type RouteRequest, type SecuritySchemes } from 'alcove'
import { Tokens } from './tokens.js'

/** `request.user`, of routes behind {@link RequireUser}. */
export const CurrentUser = requestDecorator('user').as<{ readonly id: number }>()

export class Unauthorized extends httpError(401, {}, { message: 'Log in and send the token', headers: { 'www-authenticate': 'Bearer' } }) {}

/** The guard of routes that need a login. */
@Injectable()
export class RequireUser {
  static readonly sets = [CurrentUser] as const
  static readonly throws = [Unauthorized] as const
  static readonly security = { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } satisfies SecuritySchemes
  constructor(private readonly tokens: Tokens) {}

  async onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>): Promise<void> {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const id = token === undefined ? undefined : await this.tokens.verify(token)
    if (id === undefined) throw new Unauthorized()
    request.user = { id }
  }
}

@Plugin({ shared: true, providers: [Tokens], decorateRequest: [CurrentUser] })
export class AuthPlugin {}
