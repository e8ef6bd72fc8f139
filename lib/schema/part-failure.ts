/** An error in the schema of one part of a route. */
export class PartFailure extends Error {
  /** The part of the route: `body`, `params`, …, `response 200`, `response 2xx application/json`. */
  readonly part: string

  /**
   * Makes the error for a part.
   * @param isDefault whether the default engine has failed; messages of the application's own compilers are left unchanged
   */
  constructor(part: string, isDefault: boolean, cause: unknown) {
    const reason = (cause as Error)?.message ?? String(cause)
    super(isDefault ? `${reason} (in the schema of ${part})` : reason, { cause })
    this.part = part
  }
}

/** Returns the `$id` of the shared schema that an engine did not find; `undefined` for any other error. */
export function missingSchemaOf({ cause }: Error): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const { missingSchema, message } = cause as Error & { missingSchema?: string }
  const id = missingSchema ?? /^Cannot resolve ref ".*"\. Schema with id "(.*)" is not found/.exec(message)?.[1]
  return id === '' ? undefined : id
}
