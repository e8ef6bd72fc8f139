import { Injectable } from 'alcove'
import { ApiError } from '../errors.js'
import { type Account, Users } from '../users/users.js'
import type { Claims } from './tokens.js'

/** Who sends a request: made for each request, shared by the guard of its area and by whoever injects it. */
@Injectable({ scope: 'request' })
export class CurrentUser {
  #account: Account | undefined

  constructor(private readonly users: Users) {}

  /** @throws ApiError 401 when the user is gone */
  async identify({ sub }: Claims): Promise<void> {
    this.#account = await this.users.findById(Number(sub))
    if (this.#account === undefined) throw new ApiError(401, { token: 'is invalid' })
  }

  /** `undefined` for a visitor. */
  get id(): number | undefined {
    return this.#account?.id
  }

  /** @throws ApiError 401 for a visitor */
  get account(): Account {
    if (this.#account === undefined) throw new ApiError(401, { token: 'is missing' })
    return this.#account
  }
}
