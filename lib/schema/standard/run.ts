/** Runs the `validate` of a schema. */
import type { StandardSchema } from '../../types/schema.js'
import { isPromiseLike } from '../../util/promises.js'
import { isSynchronous } from './zod.js'

type Run = StandardSchema['~standard']['validate']
type Result = Awaited<ReturnType<Run>>

/** Returns the function that validates with a schema. Its result is a promise if the schema is asynchronous. */
export function runnerOf(schema: StandardSchema): Run {
  const validate: Run = (value) => schema['~standard'].validate(value)
  return schema['~standard'].vendor === 'zod' && isZod(schema) && !isSynchronous(schema) ? createZodRunner(schema, validate) : validate
}

/** The members of a schema of Zod 4 that run it. */
interface Zod {
  readonly _zod: { run(payload: object, context: object): any }
  safeParseAsync(value: unknown): Promise<{ success: boolean; data?: unknown; error?: any }>
}

function isZod(schema: any): schema is Zod {
  return typeof schema._zod?.run === 'function' && typeof schema.safeParseAsync === 'function'
}

/**
 * Runs a schema of Zod that may be asynchronous. Its own `validate` would run it synchronously first, and once more if a function has
 * returned a promise; a rejection of that promise would then end the process, because nothing awaits it.
 */
function createZodRunner(schema: Zod, validate: Run): Run {
  let isAsynchronous = false

  const validateLater = async (value: unknown): Promise<Result> => {
    const { success, data, error } = await schema.safeParseAsync(value)
    return success ? { value: data } : { issues: error.issues }
  }

  return (value) => {
    if (isAsynchronous) return validateLater(value)
    const payload: unknown = schema._zod.run({ value, issues: [] }, { async: true })
    isAsynchronous = isPromiseLike(payload)
    // The issues of this run have no messages yet.
    const settle = ({ issues, value: output }: any): Result | Promise<Result> =>
      issues.length === 0 ? { value: output } : isAsynchronous ? validateLater(value) : validate(value)
    return isPromiseLike(payload) ? Promise.resolve(payload).then(settle) : settle(payload)
  }
}
