/**
 * Class metadata, which decorators write and the module tree reads. Only this file imports reflect-metadata.
 *
 * Supports TypeScript's experimental decorators, which are called with `(prototype, name, descriptor)`, standard decorators, which are
 * called with `(value, context)` and get the metadata object of their class as `context.metadata`, and plain calls in a class that is run
 * without a compiler: `Route(…)(this)` for the class, `Get(…)(this.prototype, 'find')` for a method.
 */
import 'reflect-metadata'
import { noteDecorated, otherCopyOn } from './copies.js'

// Standard decorators keep metadata under this symbol, which Node does not define yet (TC39 decorator metadata).
const SymbolWithMetadata = Symbol as { metadata?: symbol }
const kStandardMetadata: symbol = (SymbolWithMetadata.metadata ??= Symbol.for('Symbol.metadata'))

/** A class whose instances are `T`. */
export type Class<T = any> = new (...args: any[]) => T

/**
 * The return type of a decorator for classes and methods. For a class, the decorator returns the class, so that plain calls can be nested:
 * `Controller('/users')(Hook('onRequest', RequireUser)(this))`. For a method, it returns nothing.
 */
export type Decorated<T, N = unknown> = N extends string | symbol ? void : T extends abstract new (...args: any[]) => unknown ? T : void

/**
 * A decorator for classes and methods. It is written with `@`, as an experimental decorator of TypeScript or a standard decorator, or
 * called as a function with the class, or with the prototype and the name of a method. `Hook` and `Config` return such a decorator.
 */
export type ClassAndMethodDecorator = <T, N>(target: T, nameOrContext?: N, descriptor?: any) => Decorated<T, N>
/**
 * The kind of declaration that a decorator is above. Only the metadata of `class` and `member` is read; decorators at the other placements
 * have no effect.
 */
export type Placement = 'class' | 'member' | 'static member' | 'private member' | 'parameter'

interface DecoratorTarget {
  /** The decorated class, or for a method the prototype of its class; `undefined` for a method with a standard decorator. */
  readonly owner: object | undefined
  readonly placement: Placement
  /** The name of the decorated method; `undefined` if a class is decorated. */
  readonly member: string | symbol | undefined
  /** The metadata object of the class for a standard decorator; `undefined` for an experimental decorator. */
  readonly standard: Record<symbol, unknown> | undefined
}

interface StandardContext {
  kind: string
  name: string | symbol
  static?: boolean
  private?: boolean
  metadata?: Record<symbol, unknown>
}

/**
 * Returns the class or member that a decorator is above, read from the arguments of the decorator: experimental `(target, name?, …)` or
 * standard `(value, context)`.
 */
function readDecoratorTarget([first, second, third]: readonly unknown[]): DecoratorTarget {
  if (second !== null && typeof second === 'object' && 'kind' in second) {
    const { kind, name, static: isStatic, private: isPrivate, metadata: standard } = second as StandardContext
    if (kind === 'class') return { owner: first as object, placement: 'class', member: undefined, standard }
    return { owner: undefined, placement: isStatic ? 'static member' : isPrivate ? 'private member' : 'member', member: name, standard }
  }
  const owner = first as object
  const member = second as string | symbol | undefined
  // For a parameter of the constructor, no member is named.
  if (typeof third === 'number') return { owner, placement: 'parameter', member: member ?? 'constructor', standard: undefined }
  if (member === undefined) return { owner, placement: 'class', member, standard: undefined }
  return { owner, placement: typeof owner === 'function' ? 'static member' : 'member', member, standard: undefined }
}

/** The key of the values of type `T` that decorators of one kind write. The object itself is used as the key. */
export interface MetadataKey<T> extends DecoratorKind {
  readonly value?: T
}

/**
 * Facts about a kind of decorator: its name, and the classes and methods above which it may be. A class has a role for each list of a
 * plugin that contains the class, and for `@Route` and `@Controller`.
 */
export interface DecoratorKind {
  /** The name of the decorator in errors: `@Schema` */
  readonly decorator: string
  /** The names in errors of all decorators that write values under this key: `@Schema or @Get(path, schema)` */
  readonly names?: string
  readonly standsOn: readonly (ClassRole | MemberRole)[]
  /** The text in errors that names the places where the decorator has an effect. */
  readonly place: string
  /** Whether each of several uses on one class or member counts. */
  readonly isRepeatable?: true
  /** The cure in errors for several uses, of which only one counts. */
  readonly cureOfRepeat?: string
  /** Whether the decorator also holds for subclasses of the decorated class. */
  readonly isInherited?: true
  /** Whether `providersWith` finds instances by this kind of decorator. */
  readonly isFindable?: true
}

export type ClassRole = 'plugin' | 'route' | 'controller' | 'job' | 'provider' | 'hook' | 'handler class' | 'shared schema'
/**
 * The role of a method: `action` for a method with `@Get`, `@Post` …; `handler` for the method `handle` of a route; `plugin method` for any
 * method of a plugin; `method` for any method of a class that is constructed.
 */
export type MemberRole = 'action' | 'handler' | 'plugin method' | 'method'

export function metadataKey<T>(kind: DecoratorKind): MetadataKey<T> {
  return kind
}

/** The values that decorators of one kind have written for a class or one of its members, in the order of the source text. */
export interface MetadataEntry {
  readonly placement: Placement
  /** The name of the decorated member; `undefined` for the class itself. */
  readonly member: string | symbol | undefined
  readonly key: MetadataKey<unknown>
  readonly values: unknown[]
  /** Whether the decorator was called as a function with the name of the member, so that the member may not exist. */
  readonly isCalled: boolean
  /** Whether the decorator was called as a standard decorator. */
  readonly isStandard: boolean
}

/**
 * The metadata of classes with experimental decorators, by class. Reading this map is several times as fast as reading reflect-metadata.
 */
const metadataOf = new WeakMap<object, MetadataEntry[]>()
const kMetadata = Symbol('alcove.metadata')
const kConstructorTypes = 'design:paramtypes'

function metadataEntries({ owner, member, standard }: DecoratorTarget): MetadataEntry[] {
  if (standard !== undefined) {
    if (!Object.hasOwn(standard, kMetadata)) {
      noteDecorated(standard)
      standard[kMetadata] = []
    }
    return standard[kMetadata] as MetadataEntry[]
  }
  const Class = member === undefined || typeof owner === 'function' ? owner! : (owner as { constructor: object }).constructor
  let entries = metadataOf.get(Class)
  if (entries === undefined) {
    noteDecorated(Class)
    metadataOf.set(Class, (entries = []))
  }
  return entries
}

/**
 * Adds a value to the metadata of the decorated class or method. `args` are the arguments with which the decorator was called.
 * @returns the result of the decorator: the class, or `undefined` for a method
 */
export function addMetadata<T>(args: readonly unknown[], key: MetadataKey<T>, value: T): any {
  const target = readDecoratorTarget(args)
  const entries = metadataEntries(target)
  const { placement, member } = target
  const entry = entries.find((other) => other.key === key && other.member === member && other.placement === placement)
  const isCalled = isPlainCallForMethod(args)
  if (entry === undefined) entries.push({ placement, member, key, values: [value], isCalled, isStandard: target.standard !== undefined })
  // Decorators run bottom-up, and nested calls inside out. Plain calls for one method stand below each other.
  else if (isCalled) entry.values.push(value)
  else entry.values.unshift(value)
  return placement === 'class' ? args[0] : undefined
}

// Compilers pass three arguments for a method: the third is its descriptor.
function isPlainCallForMethod({ length, 1: name }: readonly unknown[]): boolean {
  return length === 2 && (typeof name === 'string' || typeof name === 'symbol')
}

/** Returns the class that a class extends; `undefined` if it extends no class. */
function parentOf(Class: object): object | undefined {
  const parent: unknown = Object.getPrototypeOf(Class)
  return typeof parent === 'function' && parent !== Function.prototype ? parent : undefined
}

/** Returns a class and its parent classes, nearest first. */
export function lineage(Class: object): object[] {
  const parent = parentOf(Class)
  return parent === undefined ? [Class] : [Class, ...lineage(parent)]
}

const none: readonly never[] = []

/** Returns the metadata of a class itself, not of its parent classes. */
export function ownEntries(Class: object): readonly MetadataEntry[] {
  const legacy = metadataOf.get(Class) ?? none
  // A class without any decorator inherits this property from its parent class, as it does all static members.
  if (!Object.hasOwn(Class, kStandardMetadata)) return legacy
  const standard = (Class as unknown as Record<symbol, Record<symbol, unknown>>)[kStandardMetadata]! // a class has no index signature
  return Object.hasOwn(standard, kMetadata) ? [...legacy, ...(standard[kMetadata] as MetadataEntry[])] : legacy
}

/** Returns the folder of another copy of this package that has decorated a class or a parent class; `undefined` if there is none. */
export function otherCopyOfDecorators(Class: object): string | undefined {
  for (const at of lineage(Class)) {
    const standard = Object.getOwnPropertyDescriptor(at, kStandardMetadata)?.value as object | undefined
    const folder = otherCopyOn(at) ?? (standard && otherCopyOn(standard))
    if (folder !== undefined) return folder
  }
  return undefined
}

/** Whether a class, a parent class or one of their members has a decorator. */
export function isDecorated(Class: object): boolean {
  for (let at: object | undefined = Class; at !== undefined; at = parentOf(at)) if (ownEntries(at).length > 0) return true
  return false
}

function ownValues<T>(Class: object, key: MetadataKey<T>, member: string | symbol | undefined): readonly T[] {
  const entries = ownEntries(Class)
  if (entries.length === 0) return none
  const placement: Placement = member === undefined ? 'class' : 'member'
  const found = entries.find((entry) => entry.key === key && entry.member === member && entry.placement === placement)
  return (found?.values ?? none) as readonly T[]
}

/** Returns the value that a decorator wrote for the class itself, or for the class's declaration of a method, not for a parent class. */
export function getOwnMetadata<T>(Class: object, key: MetadataKey<T>, member?: string | symbol): T | undefined {
  return ownValues(Class, key, member)[0]
}

/**
 * Returns the value that a decorator wrote for a class or one of its methods. The value of the nearest class of the lineage is returned.
 */
export function getMetadata<T>(Class: object, key: MetadataKey<T>, member?: string | symbol): T | undefined {
  return getNearestMetadata(Class, key, member)[0]
}

/**
 * Returns all values that decorators of one kind wrote for a class or one of its methods, in the order of the source text. Only the values
 * of the nearest class of the lineage with such values are returned.
 */
export function getNearestMetadata<T>(Class: object, key: MetadataKey<T>, member?: string | symbol): readonly T[] {
  for (let at: object | undefined = Class; at !== undefined; at = parentOf(at)) {
    const values = ownValues(at, key, member)
    if (values[0] !== undefined) return values
  }
  return none
}

/**
 * Returns the values that decorators of one kind wrote for a class or one of its methods: one list for each class of the lineage with such
 * values, parent classes first.
 */
export function getMetadataByClass<T>(Class: object, key: MetadataKey<T>, member?: string | symbol): readonly (readonly T[])[] {
  const parent = parentOf(Class)
  const inherited = parent === undefined ? none : getMetadataByClass(parent, key, member)
  const own = ownValues(Class, key, member)
  return own.length === 0 ? inherited : [...inherited, own]
}

/**
 * Returns the methods with a decorator of one kind, in the order of their declaration, methods of parent classes first. If a subclass
 * overrides a method and decorates it too, the method is listed among those of the subclass.
 */
export function getDecoratedMembers(Class: object, key: MetadataKey<unknown>): (string | symbol)[] {
  const members = new Set<string | symbol>()
  for (const at of lineage(Class).toReversed()) {
    for (const entry of ownEntries(at)) {
      if (entry.key !== key || entry.member === undefined || entry.placement !== 'member') continue
      members.delete(entry.member)
      members.add(entry.member)
    }
  }
  return [...members]
}

/** A parameter of a constructor. */
export interface Parameter {
  /** The type of the parameter, a class, or the token that tsyringe's `@inject` names. */
  readonly token: unknown
  readonly isOptional: boolean
}

/**
 * Returns the parameters of the constructor that the class itself declares: the types that the compiler emitted, or the tokens of
 * tsyringe's `@inject` instead. `undefined` if there are neither types nor tokens.
 */
export function getConstructorParameters(Class: object): readonly Parameter[] | undefined {
  const types = Reflect.getOwnMetadata(kConstructorTypes, Class) as readonly unknown[] | undefined
  const named = Reflect.getOwnMetadata('injectionTokens', Class) as Readonly<Record<number, unknown>> | undefined
  if (types === undefined && named === undefined) return undefined
  const count = Math.max(types?.length ?? 0, ...Object.keys(named ?? {}).map((index) => Number(index) + 1))
  return Array.from({ length: count }, (_, index) => readInjectedParameter(named?.[index] ?? types?.[index]))
}

// tsyringe replaces entries of the compiler's own array by its descriptors.
function readInjectedParameter(entry: unknown): Parameter {
  if (entry === null || typeof entry !== 'object' || !('token' in entry)) return { token: entry, isOptional: false }
  return { token: entry.token, isOptional: (entry as { isOptional?: boolean }).isOptional === true }
}

/**
 * Calls `read` while the metadata of a class lists these constructor parameters, in the form that tsyringe reads. The original metadata is
 * restored afterwards.
 */
export function withConstructorParameters(Class: object, parameters: readonly Parameter[], read: () => void): void {
  const types: unknown = Reflect.getOwnMetadata(kConstructorTypes, Class)
  const described = parameters.map(({ token, isOptional }) => ({ token, multiple: false, isOptional }))
  Reflect.defineMetadata(kConstructorTypes, described, Class)
  try {
    read()
  } finally {
    if (types === undefined) Reflect.deleteMetadata(kConstructorTypes, Class)
    else Reflect.defineMetadata(kConstructorTypes, types, Class)
  }
}
