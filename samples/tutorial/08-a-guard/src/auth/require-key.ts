import { createHash, timingSafeEqual } from 'node:crypto'
import { httpError, Injectable, type Request, type SecuritySchemes } from 'alcove'
import { Settings } from '../settings.js'

export class Unauthorized extends httpError(401, {}, { message: 'Send the key', headers: { 'www-authenticate': 'Bearer' } }) {}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The guard of routes that need the key. */
@Injectable()
export class RequireKey {
  static readonly throws = [Unauthorized] as const
  static readonly security = { bearer: { type: 'http', scheme: 'bearer' } } satisfies SecuritySchemes
  constructor(private readonly settings: Settings) {}

  onRequest({ headers }: Request): void {
    const [, key = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
    // The comparison takes as long for every wrong key. Otherwise, its time would tell how many letters are right.
    if (!timingSafeEqual(hash(key), hash(this.settings.API_KEY))) throw new Unauthorized()
  }
}
