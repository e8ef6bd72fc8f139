/**
 * Reads the reasons of a failed validation from the report of its validator: of ajv, of a Standard Schema, or of a library that the
 * application calls.
 */
import type { ValidationIssue } from '../../http/error-payload.js'
import type { SchemaErrorDetail } from '../../types/compilers.js'
import { toPointer } from '../../util/json-pointer.js'
import { isValidationError } from '../validate-request.js'
import { limitIssues } from './limits.js'

/**
 * Returns a function that lists the reasons of a failed validation, at least one; `undefined` for any other error.
 * @param wordsOf returns the words for one reported detail
 */
export function validationIssues(
  error: unknown,
  wordsOf: (detail: SchemaErrorDetail) => string,
): (() => readonly ValidationIssue[]) | undefined {
  if (!isValidationError(error)) return undefined
  const part = error.validationContext
  return () =>
    limitIssues(
      detailsIn(error.validation).map((detail) => ({
        pointer: pointerOf(detail),
        detail: typeof detail === 'string' ? detail : wordsOf((detail ?? {}) as SchemaErrorDetail),
        part,
      })),
    )
}

function detailsIn(reported: any): unknown[] {
  // The lists of Yup, Joi, and Zod or Valibot. An error of Yup without a list has the path itself.
  const lists: unknown[] = [reported, reported?.inner, reported?.details, reported?.issues]
  if (typeof reported?.path !== 'string') lists.push(reported?.errors)
  return lists.find((list): list is unknown[] => Array.isArray(list) && list.length > 0) ?? [reported]
}

/** The members of ajv's `params` that name a property of the value at `instancePath`. */
const propertyNames = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName']

/**
 * Returns the JSON Pointer to the value that a detail is about. For a missing or surplus property this is the pointer to the property, as
 * libraries report it, although ajv names the object around the property.
 */
function pointerOf(detail: any): string {
  if (typeof detail?.instancePath === 'string') {
    const name = propertyNames.map((key) => detail.params?.[key] as unknown).find((value) => typeof value === 'string')
    return (detail.instancePath as string) + toPointer(name === undefined ? [] : [name])
  }
  const path: unknown = detail?.path
  // Libraries have names, indexes, or objects with a `key`, as Standard Schema says.
  if (Array.isArray(path)) return toPointer(path.map((segment: any) => String(segment?.key ?? segment)))
  // Yup writes `address.lines[0]` and `address["postal code"]`.
  return typeof path === 'string'
    ? toPointer(Array.from(path.matchAll(/"([^"]*)"|([^.[\]"]+)/g), ([, quoted, plain]) => quoted ?? plain!))
    : ''
}
