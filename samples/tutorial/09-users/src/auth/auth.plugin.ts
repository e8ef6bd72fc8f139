/** Who sends a request? Shared: its decorator and its keys serve the whole API. */
import { httpError, Injectable, Plugin, requestDecorator, type RouteRequest, type SecuritySchemes } from 'alcove'
import { Keys } from './keys.js'

/** `request.user`, of routes behind {@link RequireUser}. */
export const CurrentUser = requestDecorator('user').as<{ readonly id: number }>()

export class Unauthorized extends httpError(401, {}, { message: 'Send your key', headers: { 'www-authenticate': 'Bearer' } }) {}

/** The guard of routes that need a user. */
@Injectable()
export class RequireUser {
  static readonly sets = [CurrentUser] as const
  static readonly throws = [Unauthorized] as const
  static readonly security = { bearer: { type: 'http', scheme: 'bearer' } } satisfies SecuritySchemes
  constructor(private readonly keys: Keys) {}

  onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>): void {
    const key = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const id = key === undefined ? undefined : this.keys.find(key)
    if (id === undefined) throw new Unauthorized()
    request.user = { id }
  }
}

@Plugin({ shared: true, providers: [Keys], decorateRequest: [CurrentUser] })
export class AuthPlugin {}
