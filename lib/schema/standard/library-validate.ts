/** Runs the `validate` of a Standard Schema. */
import type { StandardSchema } from '../../types/schema.js'
import { isPromiseLike } from '../../util/promises.js'
import { guardChecks, isSynchronous } from './zod.js'

type Validate = StandardSchema['~standard']['validate']
type Result = Awaited<ReturnType<Validate>>

/** Returns the function that validates with a Standard Schema. The function returns a promise if the schema is asynchronous. */
export function validateOf(schema: StandardSchema): Validate {
  const validate: Validate = (value) => schema['~standard'].validate(value)
  if (schema['~standard'].vendor !== 'zod' || !isZod(schema)) return validate
  // Zod 3 cannot be asked whether it needs a promise.
  if (typeof schema._zod?.run !== 'function') return (value) => validateLater(schema, value)
  if (isSynchronous(schema)) return validate
  guardChecks(schema)
  return createZodValidate(schema, schema._zod, validate)
}

/** The members of a Zod schema that run its validation. Zod 3 has no `_zod`. */
interface Zod {
  readonly _zod?: ZodInternals
  safeParseAsync(value: unknown): Promise<{ success: boolean; data?: unknown; error?: any }>
}

interface ZodInternals {
  run(payload: object, context: object): any
}

function isZod(schema: object): schema is Zod {
  return 'safeParseAsync' in schema && typeof schema.safeParseAsync === 'function'
}

async function validateLater(schema: Zod, value: unknown): Promise<Result> {
  const { success, data, error } = await schema.safeParseAsync(value)
  return success ? { value: data } : { issues: error.issues }
}

/**
 * Makes the function that validates with a Zod schema that may be asynchronous. Zod's own `validate` would run the schema synchronously
 * first, and once more if a function has returned a promise; if that first promise were rejected, the process would end, because nothing
 * awaits it.
 */
function createZodValidate(schema: Zod, internals: ZodInternals, validate: Validate): Validate {
  let isAsynchronous = false
  return (value) => {
    if (isAsynchronous) return validateLater(schema, value)
    const payload: unknown = internals.run({ value, issues: [] }, { async: true })
    isAsynchronous = isPromiseLike(payload)
    // The issues of this run have no messages yet.
    const settle = ({ issues, value: output }: any): Result | Promise<Result> =>
      issues.length === 0 ? { value: output } : isAsynchronous ? validateLater(schema, value) : validate(value)
    return isPromiseLike(payload) ? Promise.resolve(payload).then(settle) : settle(payload)
  }
}
