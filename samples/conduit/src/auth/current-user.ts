import { Injectable } from 'alcove'
import { ApiError } from '../errors.js'
import { type Account, Users } from '../users/users.js'
import type { Claims } from './tokens.js'

/** The user who sends a request: created for each request, shared by the guard of the area and all classes that inject it. */
@Injectable({ scope: 'request' })
export class CurrentUser {
  #account: Account | undefined

  constructor(private readonly users: Users) {}

  /** @throws ApiError 401 if the user no longer exists */
  async identify({ sub }: Claims): Promise<void> {
    this.#account = await this.users.findById(Number(sub))
    if (this.#account === undefined) throw new ApiError(401, { token: 'is invalid' })
  }

  /** `undefined` if the request has no token. */
  get id(): number | undefined {
    return this.#account?.id
  }

  /** @throws ApiError 401 if the request has no token */
  get account(): Account {
    if (this.#account === undefined) throw new ApiError(401, { token: 'is missing' })
    return this.#account
  }
}
