/**
 * Class metadata: decorators write it, the module tree reads it. The only file that imports reflect-metadata.
 *
 * Supports TypeScript's own decorators, which are called with `(prototype, name, descriptor)`, standard decorators, which are called with
 * `(value, context)` and get the metadata object of their class as `context.metadata`, and plain calls in a class that is run without a
 * compiler: `Route(…)(this)` for the class, `Get(…)(this.prototype, 'find')` for a method.
 */
import 'reflect-metadata'

// Standard decorators keep metadata under this symbol, which Node does not define yet (TC39 decorator metadata).
const SymbolWithMetadata = Symbol as { metadata?: symbol }
const kStandardMetadata: symbol = (SymbolWithMetadata.metadata ??= Symbol.for('Symbol.metadata'))

/** A class whose instances are `T`. */
export type Class<T = any> = new (...args: any[]) => T

/**
 * The result of a decorator for classes and methods. It returns the class that it was given, so that calls can be nested, as decorators
 * above a class can follow each other: `Controller('/users')(Hook('onRequest', RequireUser)(this))`. For a method it returns nothing.
 */
export type Decorated<T, N = unknown> = N extends string | symbol ? void : T extends abstract new (...args: any[]) => unknown ? T : void

/**
 * A decorator for classes and methods. It is written with `@`, as one of TypeScript's own or as a standard decorator, or it is called as a
 * function with the class, or with the prototype and the name of a method. Returned by `Hook` and `Config`.
 */
export type ClassAndMethodDecorator = <T, N>(target: T, nameOrContext?: N, descriptor?: any) => Decorated<T, N>
/**
 * The kind of declaration that a decorator is above. The metadata of `class` and `member` is read; no decorator has a meaning at the other
 * placements.
 */
export type Placement = 'class' | 'member' | 'static member' | 'private member' | 'parameter'

interface DecoratorTarget {
  /** The decorated class, or for a method the prototype of its class; `undefined` for methods under standard decorators. */
  readonly owner: object | undefined
  readonly placement: Placement
  /** Name of the decorated method; `undefined` if a class is decorated. */
  readonly member: string | symbol | undefined
  /** The metadata object of the class under standard decorators; `undefined` under TypeScript's own. */
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
 * Returns the class or member that a decorator is above, read from the arguments that it was called with: legacy `(target, name?, …)` or
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

/** The key of the values of type `T` that one kind of decorator writes. The object itself is the key. */
export interface MetadataKey<T> extends DecoratorKind {
  readonly value?: T
}

/**
 * Facts about a kind of decorator: its name, and the classes and methods that it may be above. A class has a role for each list of a plugin
 * that contains it, and a role for `@Route` and for `@Controller`.
 */
export interface DecoratorKind {
  /** Name of the decorator in errors: `@Schema` */
  readonly decorator: string
  /** Names of all decorators that write values under this key, in errors: `@Schema or @Get(path, schema)` */
  readonly names?: string
  readonly standsOn: readonly (ClassRole | MemberRole)[]
  /** Text for errors that names the places where the decorator has an effect. */
  readonly place: string
  /** Whether several uses on one class or member all count. */
  readonly isRepeatable?: true
  /** The cure in errors for several uses, if only one counts. */
  readonly cureOfRepeat?: string
  /** Whether the decorator holds for subclasses of the decorated class too. */
  readonly isInherited?: true
  /** Whether `providersWith` finds instances by this decorator. */
  readonly isFindable?: true
}

export type ClassRole = 'plugin' | 'route' | 'controller' | 'job' | 'provider' | 'hook' | 'handler class' | 'shared schema'
/**
 * The role of a method: `action` with `@Get`, `@Post` …; `handler` for `handle` of a route; `plugin method` for any method of a plugin;
 * `method` for any method of a class that is constructed.
 */
export type MemberRole = 'action' | 'handler' | 'plugin method' | 'method'

export function metadataKey<T>(kind: DecoratorKind): MetadataKey<T> {
  return kind
}

/** The values that decorators of one kind have written on a class or on one of its members, in the order of the source text. */
export interface MetadataEntry {
  readonly placement: Placement
  /** Name of the decorated member; `undefined` for the class itself. */
  readonly member: string | symbol | undefined
  readonly key: MetadataKey<unknown>
  readonly values: unknown[]
  /** Whether a plain call named the member, so that it may not exist. */
  readonly isCalled: boolean
  /** Whether a compiler made a standard decorator of it. */
  readonly isStandard: boolean
}

/**
 * The metadata of classes under TypeScript's own decorators, by class. Reading this map is several times as fast as reading
 * reflect-metadata.
 */
const metadataOf = new WeakMap<object, MetadataEntry[]>()
const kMetadata = Symbol('alcove.metadata')
const kConstructorTypes = 'design:paramtypes'

function metadataEntries({ owner, member, standard }: DecoratorTarget): MetadataEntry[] {
  if (standard !== undefined) {
    if (!Object.hasOwn(standard, kMetadata)) standard[kMetadata] = []
    return standard[kMetadata] as MetadataEntry[]
  }
  const Class = member === undefined || typeof owner === 'function' ? owner! : (owner as { constructor: object }).constructor
  let entries = metadataOf.get(Class)
  if (entries === undefined) metadataOf.set(Class, (entries = []))
  return entries
}

/**
 * Adds a value to the metadata of the class or method that a decorator is applied to; `args` are the arguments of the decorator.
 * @returns the result of the decorator: the class, `undefined` for a method
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

/** Returns the class that a class extends; `undefined` if it extends none. */
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

/** Returns the metadata of a class itself, without the metadata of its parent classes. */
export function ownEntries(Class: object): readonly MetadataEntry[] {
  const legacy = metadataOf.get(Class) ?? none
  // A class without any decorator inherits this property from its parent class, as it does all static members.
  if (!Object.hasOwn(Class, kStandardMetadata)) return legacy
  const standard = (Class as unknown as Record<symbol, Record<symbol, unknown>>)[kStandardMetadata]! // a class has no index signature
  return Object.hasOwn(standard, kMetadata) ? [...legacy, ...(standard[kMetadata] as MetadataEntry[])] : legacy
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

/** Returns the value that a decorator wrote on the class itself or on its own declaration of a method, not on a parent class. */
export function getOwnMetadata<T>(Class: object, key: MetadataKey<T>, member?: string | symbol): T | undefined {
  return ownValues(Class, key, member)[0]
}

/**
 * Returns the value that a decorator wrote on a class or on one of its methods. The nearest class of the lineage that has a value counts.
 */
export function getMetadata<T>(Class: object, key: MetadataKey<T>, member?: string | symbol): T | undefined {
  return getNearestMetadata(Class, key, member)[0]
}

/**
 * Returns all values that decorators of one kind wrote on a class or on one of its methods, in the order of the source text. Only the
 * nearest class of the lineage that has values counts.
 */
export function getNearestMetadata<T>(Class: object, key: MetadataKey<T>, member?: string | symbol): readonly T[] {
  for (let at: object | undefined = Class; at !== undefined; at = parentOf(at)) {
    const values = ownValues(at, key, member)
    if (values[0] !== undefined) return values
  }
  return none
}

/**
 * Returns the values that decorators of one kind wrote on a class or on one of its methods: a list for each class of the lineage that has
 * values, parent classes first.
 */
export function getMetadataByClass<T>(Class: object, key: MetadataKey<T>, member?: string | symbol): readonly (readonly T[])[] {
  const parent = parentOf(Class)
  const inherited = parent === undefined ? none : getMetadataByClass(parent, key, member)
  const own = ownValues(Class, key, member)
  return own.length === 0 ? inherited : [...inherited, own]
}

/**
 * Returns the methods that have a decorator of one kind, in the order of their declaration, methods of parent classes first. A method that
 * a subclass overrides is at the place of the override if the override has such a decorator too.
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
  /** The class that is the type of the parameter, or the token that `@inject` of tsyringe names. */
  readonly token: unknown
  readonly isOptional: boolean
}

/**
 * Returns the parameters of the class's own constructor: the types that the compiler emitted, or instead of a type the token that
 * tsyringe's `@inject` names. `undefined` if there are neither types nor tokens.
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
 * Calls `read` while the metadata of a class list these parameters of its constructor, in the form that tsyringe reads. Afterwards the
 * class has its own metadata again.
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
