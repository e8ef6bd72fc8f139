/** The failure of the schema of one part of a route. */
export class PartFailure extends Error {
  /** `body`, `params`, …, `response 200`, `response 2xx application/json` */
  readonly part: string

  /** @param isDefault whether the default engine failed. Messages of the application's own compilers are left as they are. */
  constructor(part: string, isDefault: boolean, cause: unknown) {
    const reason = (cause as Error)?.message ?? String(cause)
    super(isDefault ? `${reason} (in the schema of ${part})` : reason, { cause })
    this.part = part
  }
}
