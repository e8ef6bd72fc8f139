/** References to the shared schemas of classes. */
import type { schemaType, TypedSchema } from '../../../lib/index.js'
import { type inputType, type sendableSchema } from '../../../lib/internal.js'
import type { Class } from '../metadata.js'
import { cureOfMissingSchema, getSharedSchema } from '../schema.js'
import type { FieldsOf, FieldsOfSchema, LaterReference, modelSchema, SentDate } from './types.js'

/**
 * A reference to the shared schema of a class, typed as the class. If the class has methods, getters or private members, the type has only
 * the fields, because bodies are plain objects.
 */
export interface ModelReference<T, S = unknown> {
  readonly $ref: string
  readonly [schemaType]: DataOf<T, S, string>
  readonly [sendableSchema]: unknown extends S ? TypedSchema<DataOf<T, S, SentDate>> : S
  readonly [inputType]: unknown extends S ? DataOf<T, S, SentDate> : InputOf<T, FieldsOfSchema<S, 'client'>>
}

type DataOf<T, S, InPlaceOfDate> = FieldsOfModel<T, S, InPlaceOfDate> extends infer Fields ? ([Fields] extends [T] ? T : Fields) : never
// The class itself, if it has no field with a default.
type InputOf<T, Fields> = [Fields] extends [T] ? T : Fields
type FieldsOfModel<T, S, InPlaceOfDate> = unknown extends S ? FieldsOf<T, InPlaceOfDate> : FieldsOfSchema<S>

/**
 * Returns a reference to the shared schema of a class, typed as the class. The class need not be listed in `schemas`, because plugins
 * register the classes that they refer to.
 * ```ts
 * const get = { response: { 200: ref(User) } } as const
 * ```
 * To refer to the class itself, or to a class that is declared later, pass a function. The `$id` of the class is read when the schemas are
 * registered, so the two classes may be in modules that import each other. If the classes refer to each other, write the return type of the
 * function; otherwise TypeScript reports a circle (TS2506).
 * ```ts
 * class Comment extends Model({
 *   $id: 'Comment', type: 'object', properties: { replies: { type: 'array', items: ref((): Class<Comment> => Comment) } },
 * }) {}
 * ```
 * @throws TypeError if the class has no schema with an `$id`. If the function returns no class with such a schema, the boot fails with the
 * fault REFERENCE_INVALID.
 */
export function ref<T>(later: () => Class<T>): LaterReference<T>
export function ref<T, S = unknown>(Model: Class<T> & { readonly [modelSchema]?: S }): ModelReference<T, S>
export function ref(Model: unknown): { readonly $ref: string } {
  // Arrow functions have no prototype, classes have one, also if a compiler made old functions of them.
  if (typeof Model === 'function' && !('prototype' in Model)) return referToLater(Model)
  if (typeof Model !== 'function') {
    const reason =
      Model === undefined
        ? ', often because of a circle of imports. Write ref(() => …), or declare the class first'
        : '. Pass the class itself'
    throw new TypeError(`ref(${String(Model)}): this is not a class${reason}.`)
  }
  const id = sharedSchemaId(Model)
  if (id === undefined) throw new TypeError(`ref(${Model.name}): the class has no schema with an $id. ${cureOfMissingSchema(Model)}`)
  return { $ref: absoluteId(id), [kTarget]: () => Model } as { readonly $ref: string }
}

function referToLater(later: () => unknown): { readonly $ref: string } {
  const reference = {
    // Evaluated when the schemas are read. A reference that leads nowhere is reported by the check of the wiring, or by the engine.
    get $ref() {
      const id = sharedSchemaId(tryToCall(later))
      return id === undefined ? `ref(${String(later)})` : absoluteId(id)
    },
    [kTarget]: later,
  }
  return reference
}

function absoluteId(id: string): string {
  return id.includes('#') ? id : `${id}#`
}

function sharedSchemaId(Model: unknown): string | undefined {
  const id: unknown = typeof Model === 'function' ? getSharedSchema(Model)?.$id : undefined
  return typeof id === 'string' ? id : undefined
}

/**
 * The key of a reference's member that contains a function which returns the class. Copies such as `{ ...ref(User), description }` have
 * this member too. A symbol cannot collide with a keyword of a schema.
 */
const kTarget = Symbol('alcove.reference-target')

function targetOf(reference: object): (() => unknown) | undefined {
  return (reference as { readonly [kTarget]?: () => unknown })[kTarget]
}

/** Whether a schema was made by {@link ref}, or copied from such a schema. */
export function isReference(schema: object): boolean {
  return kTarget in schema
}

function tryToCall(later: (() => unknown) | undefined): unknown {
  try {
    return later?.()
  } catch {
    // The module of the class has not been evaluated yet.
    return undefined
  }
}

const cureOfReference = 'Return a class that is declared when the application boots.'
const cureOfCopy = 'Write { allOf: [ref(() => …)], … } instead of { ...ref(() => …), … }.'

/** The fault of a reference, and its cure, as texts for errors. */
export interface ReferenceProblem {
  readonly problem: string
  readonly cure: string
}

/** Returns the fault of a reference with a function, such as `ref(() => User)`; `undefined` if the reference is valid. */
export function problemOfReference(reference: object): ReferenceProblem | undefined {
  const later = targetOf(reference)
  if (later === undefined) return undefined
  const text = `ref(${String(later)})`
  let found: unknown
  try {
    found = later()
  } catch (error) {
    return { problem: `${text}, whose function throws ${String(error)}.`, cure: cureOfReference }
  }
  const id = sharedSchemaId(found)
  if (id !== undefined) {
    const isRead = (reference as { $ref?: unknown }).$ref === absoluteId(id)
    return isRead ? undefined : { problem: `${text} by a copy that was made before its class was declared.`, cure: cureOfCopy }
  }
  if (typeof found === 'function') return { problem: `${text}, whose class has no schema with an $id.`, cure: cureOfMissingSchema(found) }
  return { problem: `${text}, whose function returns ${String(found)}.`, cure: cureOfReference }
}

/**
 * Returns the class to which a reference made by {@link ref} leads; `undefined` for another schema, or if the function returns no class.
 */
export function modelOf(reference: object): Class | undefined {
  const found = tryToCall(targetOf(reference))
  return typeof found === 'function' ? (found as Class) : undefined
}
