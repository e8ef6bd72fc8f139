import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Passwords as scrypt hashes: `cost.salt.hash`. */
export class Passwords {
  /** 2^15 × 8 × 3: what OWASP recommends. A change holds for new hashes; the old ones keep theirs. */
  static readonly cost: number = 2 ** 15
  #decoy: Promise<string> | undefined

  async hash(password: string): Promise<string> {
    const { cost } = this.constructor as typeof Passwords
    const salt = randomBytes(16)
    const key = await deriveKey(password, salt, cost)
    return `${cost}.${salt.toString('base64url')}.${key.toString('base64url')}`
  }

  /** Takes the same time for an unknown user, so that the time does not say who has an account. */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const [cost, salt, key] = (stored ?? (await (this.#decoy ??= this.hash('')))).split('.') as [string, string, string]
    const given = await deriveKey(password, Buffer.from(salt, 'base64url'), Number(cost))
    return timingSafeEqual(given, Buffer.from(key, 'base64url')) && stored !== undefined
  }
}

function deriveKey(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  return derive(password, salt, 32, { N: cost, r: 8, p: 3, maxmem: 2 ** 26 })
}
