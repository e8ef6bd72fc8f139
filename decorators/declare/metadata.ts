/**
 * Class metadata: what decorators write and the module tree reads. The only file that knows reflect-metadata.
 *
 * Works under TypeScript's own decorators, which are called with `(prototype, name, descriptor)`, and under standard ones,
 * called with `(value, context)`; the latter hand their class's metadata object along in `context.metadata`.
 */
import 'reflect-metadata'

// Standard decorators keep metadata under this symbol, which Node does not define yet (TC39 decorator metadata).
;(Symbol as { metadata?: symbol }).metadata ??= Symbol.for('Symbol.metadata')
const kStandard: symbol = (Symbol as unknown as { metadata: symbol }).metadata

/** A class whose instances are `T`. */
export type Class<T = any> = new (...args: any[]) => T

/** What a decorator is applied to: legacy `(target, name?)` or standard `(value, context)`. */
export interface Place {
  /** The class, or its prototype for a method; `undefined` for methods under standard decorators. */
  readonly target: object | undefined
  /** Name of the method; `undefined` on a class. */
  readonly member: string | symbol | undefined
  /** Metadata of the class under standard decorators. */
  readonly standard: Record<symbol, unknown> | undefined
}

interface StandardContext {
  kind: string
  name: string | symbol
  metadata?: Record<symbol, unknown>
}

/** Reads the arguments with which a decorator was called. */
export function readPlace(args: readonly unknown[]): Place {
  const [first, second] = args
  if (second !== null && typeof second === 'object' && 'kind' in second) {
    const context = second as StandardContext
    return context.kind === 'class'
      ? { target: first as object, member: undefined, standard: context.metadata }
      : { target: undefined, member: context.name, standard: context.metadata }
  }
  return { target: first as object, member: second as string | symbol | undefined, standard: undefined }
}

/** What decorators have said of one place: single values by key, and lists that several decorators add to. */
type Notes = Map<symbol, unknown>
type NotesByMember = Map<string | symbol | undefined, Notes>

const kNotes = Symbol('alcove.notes')
const kTypes = 'design:paramtypes'

function notesAt({ target, member, standard }: Place): Notes {
  let byMember: NotesByMember
  if (standard !== undefined) {
    byMember = Object.hasOwn(standard, kNotes) ? (standard[kNotes] as NotesByMember) : ((standard[kNotes] = new Map()) as NotesByMember)
  } else {
    const owner = member === undefined ? target! : (target as { constructor: object }).constructor
    byMember = Reflect.getOwnMetadata(kNotes, owner) as NotesByMember
    if (byMember === undefined) Reflect.defineMetadata(kNotes, (byMember = new Map()), owner)
  }
  let notes = byMember.get(member)
  if (notes === undefined) byMember.set(member, (notes = new Map()))
  return notes
}

export function note(place: Place, key: symbol, value: unknown): void {
  notesAt(place).set(key, value)
}

/** Adds to a list. Decorators run bottom-up: the list is kept in the order in which they are written. */
export function noteAlso(place: Place, key: symbol, value: unknown): void {
  const notes = notesAt(place)
  notes.set(key, [value, ...((notes.get(key) as unknown[] | undefined) ?? [])])
}

function allNotes(Class: object): NotesByMember[] {
  const standard = (Class as Record<symbol, unknown>)[kStandard] as Record<symbol, unknown> | undefined
  const found: NotesByMember[] = []
  const legacy = Reflect.getOwnMetadata(kNotes, Class) as NotesByMember | undefined
  if (legacy !== undefined) found.push(legacy)
  if (standard !== undefined && Object.hasOwn(standard, kNotes)) found.push(standard[kNotes] as NotesByMember)
  return found
}

/** What a decorator noted on a class or on one of its methods. Not inherited: a subclass says for itself what it is. */
export function readNote<T>(Class: object, key: symbol, member?: string | symbol): T | undefined {
  for (const byMember of allNotes(Class)) {
    const value = byMember.get(member)?.get(key)
    if (value !== undefined) return value as T
  }
  return undefined
}

/** The methods of a class that carry a note, with their notes, in the order of their declaration; inherited ones first. */
export function readMembers<T>(Class: object, key: symbol): { member: string | symbol; value: T }[] {
  const parent: unknown = Object.getPrototypeOf(Class)
  const inherited = typeof parent === 'function' && parent !== Function.prototype ? readMembers<T>(parent, key) : []
  const own = allNotes(Class).flatMap((byMember) =>
    [...byMember].flatMap(([member, notes]) => (member !== undefined && notes.has(key) ? [{ member, value: notes.get(key) as T }] : [])),
  )
  return [...inherited.filter(({ member }) => !own.some((entry) => entry.member === member)), ...own]
}

/** What a constructor's parameter asks for. */
export interface Parameter {
  readonly token: unknown
  readonly isOptional: boolean
}

/**
 * The parameters of the class's own constructor: the types that the compiler emitted, and over them what tsyringe's `@inject`
 * noted; `undefined` where there is neither.
 */
export function constructorParameters(Class: object): readonly Parameter[] | undefined {
  const types = Reflect.getOwnMetadata(kTypes, Class) as readonly unknown[] | undefined
  const named = Reflect.getOwnMetadata('injectionTokens', Class) as Readonly<Record<number, unknown>> | undefined
  if (types === undefined && named === undefined) return undefined
  const count = Math.max(types?.length ?? 0, ...Object.keys(named ?? {}).map((index) => Number(index) + 1))
  return Array.from({ length: count }, (_, index) => readParameter(named?.[index] ?? types?.[index]))
}

// tsyringe puts its descriptors into the compiler's own array.
function readParameter(given: unknown): Parameter {
  if (given === null || typeof given !== 'object' || !('token' in given)) return { token: given, isOptional: false }
  return { token: given.token, isOptional: (given as { isOptional?: boolean }).isOptional === true }
}

/** Notes the parameters of a constructor as tsyringe reads them. */
export function describeParameters(Class: object, parameters: readonly Parameter[]): void {
  Reflect.defineMetadata(
    kTypes,
    parameters.map(({ token, isOptional }) => ({ token, multiple: false, isOptional })),
    Class,
  )
}
