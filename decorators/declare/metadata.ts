/**
 * Class metadata: decorators write it, the module tree reads it. The only file that imports reflect-metadata.
 *
 * Supports TypeScript's own decorators, which are called with `(prototype, name, descriptor)`, and standard ones, which are called with
 * `(value, context)` and get the metadata object of their class as `context.metadata`.
 */
import 'reflect-metadata'

// Standard decorators keep metadata under this symbol, which Node does not define yet (TC39 decorator metadata).
const SymbolWithMetadata = Symbol as { metadata?: symbol }
const kStandardMetadata: symbol = (SymbolWithMetadata.metadata ??= Symbol.for('Symbol.metadata'))

/** A class whose instances are `T`. */
export type Class<T = any> = new (...args: any[]) => T

/** The class or method that a decorator is applied to. */
export interface DecoratorTarget {
  /** The class, or its prototype for a method; `undefined` for methods under standard decorators. */
  readonly owner: object | undefined
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

/** Reads the arguments that a decorator was called with: legacy `(target, name?)` or standard `(value, context)`. */
export function readDecoratorTarget(args: readonly unknown[]): DecoratorTarget {
  const [first, second] = args
  if (second !== null && typeof second === 'object' && 'kind' in second) {
    const context = second as StandardContext
    return context.kind === 'class'
      ? { owner: first as object, member: undefined, standard: context.metadata }
      : { owner: undefined, member: context.name, standard: context.metadata }
  }
  return { owner: first as object, member: second as string | symbol | undefined, standard: undefined }
}

/** The metadata of one class or method: single values by key, and lists that several decorators add to. */
type Metadata = Map<symbol, unknown>
/** The metadata of a class (under `undefined`) and of its methods. */
type MetadataByMember = Map<string | symbol | undefined, Metadata>

const kMetadata = Symbol('alcove.metadata')
const kConstructorTypes = 'design:paramtypes'

function metadataOf({ owner, member, standard }: DecoratorTarget): Metadata {
  let byMember: MetadataByMember
  if (standard !== undefined) {
    byMember = Object.hasOwn(standard, kMetadata)
      ? (standard[kMetadata] as MetadataByMember)
      : ((standard[kMetadata] = new Map()) as MetadataByMember)
  } else {
    const Class = member === undefined ? owner! : (owner as { constructor: object }).constructor
    byMember = Reflect.getOwnMetadata(kMetadata, Class) as MetadataByMember
    if (byMember === undefined) Reflect.defineMetadata(kMetadata, (byMember = new Map()), Class)
  }
  let metadata = byMember.get(member)
  if (metadata === undefined) byMember.set(member, (metadata = new Map()))
  return metadata
}

/** Sets a value, replacing one that a decorator below has set. */
export function setMetadata(target: DecoratorTarget, key: symbol, value: unknown): void {
  metadataOf(target).set(key, value)
}

/** Adds to a list. Decorators run bottom-up, so each value is put first: the list is in the order of the source text. */
export function appendMetadata(target: DecoratorTarget, key: symbol, value: unknown): void {
  const metadata = metadataOf(target)
  metadata.set(key, [value, ...((metadata.get(key) as unknown[] | undefined) ?? [])])
}

function ownMetadata(Class: object): MetadataByMember[] {
  const standard = (Class as Record<symbol, unknown>)[kStandardMetadata] as Record<symbol, unknown> | undefined
  const found: MetadataByMember[] = []
  const legacy = Reflect.getOwnMetadata(kMetadata, Class) as MetadataByMember | undefined
  if (legacy !== undefined) found.push(legacy)
  if (standard !== undefined && Object.hasOwn(standard, kMetadata)) found.push(standard[kMetadata] as MetadataByMember)
  return found
}

/** Reads a value that a decorator set on a class or on one of its methods. Metadata of a class is not inherited by its subclasses. */
export function getMetadata<T>(Class: object, key: symbol, member?: string | symbol): T | undefined {
  for (const byMember of ownMetadata(Class)) {
    const value = byMember.get(member)?.get(key)
    if (value !== undefined) return value as T
  }
  return undefined
}

/** The methods that have a value for a key, in the order of their declaration, inherited methods first. */
export function getMemberMetadata<T>(Class: object, key: symbol): { member: string | symbol; value: T }[] {
  const parent: unknown = Object.getPrototypeOf(Class)
  const inherited = typeof parent === 'function' && parent !== Function.prototype ? getMemberMetadata<T>(parent, key) : []
  const own = ownMetadata(Class).flatMap((byMember) =>
    [...byMember].flatMap(([member, metadata]) =>
      member !== undefined && metadata.has(key) ? [{ member, value: metadata.get(key) as T }] : [],
    ),
  )
  return [...inherited.filter(({ member }) => !own.some((entry) => entry.member === member)), ...own]
}

/** A parameter of a constructor. */
export interface Parameter {
  /** The class, or the token that `@inject` names. */
  readonly token: unknown
  readonly isOptional: boolean
}

/**
 * The parameters of the class's own constructor: the types that the compiler emitted, and in their place the tokens that tsyringe's
 * `@inject` names. `undefined` if there are neither.
 */
export function getConstructorParameters(Class: object): readonly Parameter[] | undefined {
  const types = Reflect.getOwnMetadata(kConstructorTypes, Class) as readonly unknown[] | undefined
  const named = Reflect.getOwnMetadata('injectionTokens', Class) as Readonly<Record<number, unknown>> | undefined
  if (types === undefined && named === undefined) return undefined
  const count = Math.max(types?.length ?? 0, ...Object.keys(named ?? {}).map((index) => Number(index) + 1))
  return Array.from({ length: count }, (_, index) => readParameter(named?.[index] ?? types?.[index]))
}

// tsyringe replaces entries of the compiler's own array by its descriptors.
function readParameter(given: unknown): Parameter {
  if (given === null || typeof given !== 'object' || !('token' in given)) return { token: given, isOptional: false }
  return { token: given.token, isOptional: (given as { isOptional?: boolean }).isOptional === true }
}

/** Sets the parameters of a constructor, in the form that tsyringe reads. */
export function setConstructorParameters(Class: object, parameters: readonly Parameter[]): void {
  Reflect.defineMetadata(
    kConstructorTypes,
    parameters.map(({ token, isOptional }) => ({ token, multiple: false, isOptional })),
    Class,
  )
}
