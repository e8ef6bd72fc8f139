/** The guards, which decide who may send a request. Each is left to write. */
import { HttpError, type SecuritySchemes } from 'alcove'

export class RequireToken {
  static readonly security = { token: { type: 'http', scheme: 'bearer' } } satisfies SecuritySchemes

  /** Write this guard: it lets a request in, or throws an HttpError with the status 401 or 403. Until then no request gets in. */
  onRequest(): void {
    throw new HttpError(501, 'RequireToken is left to write')
  }
}
