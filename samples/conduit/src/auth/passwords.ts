import { hash, verify } from '@node-rs/argon2'

/** Passwords are kept as argon2id hashes, with the parameters that the library recommends. */
export class Passwords {
  #decoy: Promise<string> | undefined

  hash(password: string): Promise<string> {
    return hash(password)
  }

  /** Takes as long for a user who does not exist, so that nobody can ask who does. */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const isRight = await verify(stored ?? (await (this.#decoy ??= hash('nobody'))), password)
    return isRight && stored !== undefined
  }
}
