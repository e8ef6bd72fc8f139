/** Checks values that do not come with a request, such as the input of a job, in the way in which the body of a request is checked. */
import { errorCodes } from '../errors/codes.js'
import { normalizeSchema } from '../schema/normalize.js'
import { validateRequest } from '../schema/validate-request.js'
import type { SchemaErrorDetail } from '../types/compilers.js'
import type { Server } from '../types/server.js'
import { kContext } from '../util/symbols.js'
import type { Context } from '../context/context.js'
import { compileValidators, usesDefaultValidator } from './compile-schemas.js'

/**
 * A function that checks a value against a schema.
 * @returns a promise of the checked value, coerced and with defaults filled in, as for a body
 * @throws ALC_ERR_JOB_INPUT_INVALID
 */
export type InputCheck = (input: unknown) => Promise<unknown>

/**
 * Compiles a schema for values that do not come with a request. The schema may refer to the shared schemas of the context.
 * @param owner the name of the values' owner in errors: `the queue 'mails'`
 * @throws ALC_ERR_SCH_VALIDATION_BUILD, ALC_ERR_SCH_COMPILER_MISSING
 */
export function compileInputCheck(instance: Server, schema: unknown, owner: string): InputCheck {
  // The public type of a server has no context.
  const context = (instance as unknown as { readonly [kContext]: Context })[kContext]
  const declaring = { context, options: {}, method: 'JOB', url: owner }
  const isDefault = usesDefaultValidator(declaring)
  const normal = normalizeSchema(
    { body: schema },
    {
      hasShorthand: context.options.jsonShorthand !== false,
      validatesCookies: false,
      usesDefaultValidator: isDefault,
      usesDefaultSerializer: false,
    },
  )
  const validators = compileValidators(declaring, normal)!
  return async (input) => {
    // Validators write defaults and coerced values into the value: the caller keeps its own.
    const parts = { body: asJson(input, owner), params: undefined, query: undefined, headers: {}, raw: { headers: {} } }
    const failure = await validateRequest(validators, parts, (details) => new Error(textOf(details)))
    if (failure !== undefined) throw new errorCodes.ALC_ERR_JOB_INPUT_INVALID(owner, (failure as Error).message)
    return parts.body
  }
}

/**
 * Returns a copy of a value after writing it as JSON and parsing it.
 * @throws ALC_ERR_JOB_INPUT_INVALID for a value that JSON cannot hold
 */
export function asJson(input: unknown, owner: string): unknown {
  try {
    // Nothing has no form in JSON.
    return input === undefined ? null : (JSON.parse(JSON.stringify(input)) as unknown)
  } catch (error) {
    throw new errorCodes.ALC_ERR_JOB_INPUT_INVALID(owner, `input cannot be written as JSON: ${(error as Error).message}`)
  }
}

function textOf(details: readonly SchemaErrorDetail[]): string {
  return details.map(({ instancePath, message }) => `input${instancePath} ${message}`).join(', ')
}
