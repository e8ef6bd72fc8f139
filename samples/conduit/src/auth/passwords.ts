import { hash, verify } from '@node-rs/argon2'

/** Stores passwords as argon2id hashes, with the parameters that the library recommends. */
export class Passwords {
  #decoy: Promise<string> | undefined

  hash(password: string): Promise<string> {
    return hash(password)
  }

  /** Takes the same time if the user does not exist, so that the time does not reveal who has an account. */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const isRight = await verify(stored ?? (await (this.#decoy ??= hash('nobody'))), password)
    return isRight && stored !== undefined
  }
}
