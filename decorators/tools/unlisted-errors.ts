/** The errors that a server under test has answered with although their routes do not list them. */
import type { InjectResponse, Server } from '../../lib/index.js'
import { watchUnlistedErrors } from '../../lib/internal.js'

export class UnlistedErrors {
  readonly #faults = new Map<object, Error>()

  constructor(server: Server) {
    watchUnlistedErrors(server, (response, fault) => this.#faults.set(response, fault))
  }

  /** Returns the response. @throws ALC_ERR_ERROR_UNLISTED */
  check(response: InjectResponse): InjectResponse {
    const { res } = response.raw
    const fault = this.#faults.get(res)
    if (fault === undefined) return response
    this.#faults.delete(res)
    throw fault
  }

  /** Checks the replies to all requests that were not sent by `inject` or `call` of the test. @throws ALC_ERR_ERROR_UNLISTED */
  checkOthers(): void {
    const [fault] = this.#faults.values()
    if (fault !== undefined) throw fault
  }
}
