import { Injectable } from 'alcove'
import { errors, jwtVerify, SignJWT } from 'jose'
import { Settings } from '../settings.js'

/** The tokens that clients send as `Authorization: Bearer …`. */
@Injectable()
export class Tokens {
  readonly #key: Uint8Array
  constructor(private readonly settings: Settings) {
    this.#key = new TextEncoder().encode(settings.JWT_SECRET)
  }

  sign(userId: number): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('bookshelf')
      .setSubject(String(userId))
      .setIssuedAt()
      .setExpirationTime(`${this.settings.JWT_LIFETIME}s`)
      .sign(this.#key)
  }

  /** @returns the id of the user; `undefined` if the token is not valid */
  async verify(token: string): Promise<number | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.#key, { algorithms: ['HS256'], issuer: 'bookshelf', requiredClaims: ['sub', 'exp'] })
      return Number(payload.sub)
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}
