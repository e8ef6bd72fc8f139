import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Passwords as scrypt hashes: `cost.salt.hash`. */
export class Passwords {
  /** 2^15 × 8 × 3: one of the settings that OWASP recommends. A change holds for new hashes; the old ones keep theirs. */
  static readonly cost: number = 2 ** 15
  /** The hash that the password of an unknown user is compared with. */
  readonly #decoy = this.hash('')

  async hash(password: string): Promise<string> {
    const { cost } = this.constructor as typeof Passwords
    const salt = randomBytes(16)
    const key = await deriveKey(password, salt, cost)
    return `${cost}.${salt.toString('base64url')}.${key.toString('base64url')}`
  }

  /** Takes as long for an unknown user, so that the time does not say who has an account. */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const [cost, salt, key] = (stored ?? (await this.#decoy)).split('.') as [string, string, string]
    const given = await deriveKey(password, Buffer.from(salt, 'base64url'), Number(cost))
    return timingSafeEqual(given, Buffer.from(key, 'base64url')) && stored !== undefined
  }
}

function deriveKey(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  return derive(password, salt, 32, { N: cost, r: 8, p: 3, maxmem: 2048 * cost })
}
