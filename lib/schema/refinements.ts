/** Finds rules of TypeBox in schemas that the default validator does not run. */
import { isPlainObject } from '../util/objects.js'

/** The key in which TypeBox 1 keeps the functions of `Type.Refine`. It is not enumerable, so that ajv does not see it. */
const REFINEMENT = '~refine'

/** What to write in place of `Type.Refine`, as the end of a sentence about the schema that contains it. */
export const refinementCure =
  'Type.Refine of TypeBox, which has no effect: ajv validates. Write keywords of JSON Schema, or check the value in a preHandler hook'

/** Whether a schema contains `Type.Refine` of TypeBox. @param seen the objects that were searched already: a schema may contain itself */
export function containsRefinement(schema: unknown, seen = new Set<object>()): boolean {
  // Objects of other libraries are not looked into.
  if (!(Array.isArray(schema) || isPlainObject(schema)) || seen.has(schema)) return false
  seen.add(schema)
  return Object.hasOwn(schema, REFINEMENT) || Object.values(schema).some((each) => containsRefinement(each, seen))
}

/** Throws for a schema that contains `Type.Refine` of TypeBox: requests that its function refuses would be accepted. */
export function assertNoRefinement(schema: unknown): void {
  if (containsRefinement(schema)) throw new Error(`it contains ${refinementCure}`)
}
