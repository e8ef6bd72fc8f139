/**
 * The decorations that each context adds to its requests, replies and instances.
 *
 * A context's requests are instances of a class that extends the class of its parent context. A handler therefore sees the decorations of
 * its context and of the ancestors of this context, even if they were declared after the route, and no other decorations.
 */
import { canGenerateCode } from '../build/prebuilt.js'
import { errorCodes } from '../errors/codes.js'
import type { Reply } from '../types/reply.js'
import type { Request } from '../types/request.js'

type Name = string | symbol
/** A request of any route. */
export type AnyRequest = Request<any, any, any, any>
/** A reply of any route. */
export type AnyReply = Reply<any, any>
export type Constructor<T = any> = new (...args: any[]) => T
interface Accessor {
  getter?: () => unknown
  setter?: (value: any) => void
}

/** The decorations of the requests, or of the replies, of one context. */
export class Decorations<T = any> {
  /** The class of this context's requests or replies. Decorations are added to its prototype while the server boots. */
  readonly Class: Constructor<T>
  readonly #parent: Decorations<T> | undefined
  readonly #values = new Map<Name, unknown>()
  readonly #fields: readonly Name[]
  /** The number of decorations that were added in this context itself. */
  #count = 0
  #effective: { readonly Class: Constructor<T>; readonly count: number } | undefined

  private constructor(Class: Constructor<T>, fields: readonly Name[], parent?: Decorations<T>) {
    this.Class = Class
    this.#fields = fields
    this.#parent = parent
  }

  /**
   * Makes the decorations of the root context, with a subclass of `Base`.
   * @param fields the names of the properties that each instance sets itself; a decoration of such a name would be hidden
   */
  static root<T>(Base: Constructor<T>, fields: readonly Name[]): Decorations<T> {
    return new Decorations<T>(class extends (Base as Constructor) {} as Constructor<T>, fields)
  }

  /**
   * Makes the decorations of a child context. The child context also sees the decorations of this context, but this context does not see
   * those of the child.
   */
  child(): Decorations<T> {
    return new Decorations<T>(class extends (this.Class as Constructor) {} as Constructor<T>, [], this)
  }

  /**
   * The class from which this context's requests or replies are made, once everything is declared. Contexts that add nothing share the
   * class of their ancestor. The constructor sets the values, so that all instances have the same shape, even if a hook replaces a value in
   * only some of them.
   */
  get EffectiveClass(): Constructor<T> {
    if (this.#count === 0 && this.#parent !== undefined) return this.#parent.EffectiveClass
    const count = this.#visibleCount
    if (this.#effective?.count !== count) {
      this.#effective = { Class: withFields(this.Class, this.#allValues), count }
    }
    return this.#effective.Class
  }

  /** The number of decorations that are visible in this context, inherited ones included. */
  get #visibleCount(): number {
    return this.#count + (this.#parent === undefined ? 0 : this.#parent.#visibleCount)
  }

  get #allValues(): [Name, unknown][] {
    return [...(this.#parent === undefined ? [] : this.#parent.#allValues), ...this.#values]
  }

  /** Whether requests (or replies) of this context have a member of this name. Built-in members count too. */
  has(name: Name): boolean {
    return name in this.Class.prototype || this.#root.#fields.includes(name)
  }

  /** The names of the decorations that this context itself adds. */
  get ownNames(): Name[] {
    return Reflect.ownKeys(this.Class.prototype as object).filter((name) => name !== 'constructor')
  }

  /**
   * Adds a decoration to the requests (or replies) of this context and below.
   * @throws ALC_ERR_DEC_ALREADY_PRESENT if the name is taken in this context, is a value that an ancestor declared, or is built in; only a
   * built-in method may be replaced, by a function
   * @throws ALC_ERR_DEC_REFERENCE_TYPE for objects and arrays, because all requests would share them
   */
  add(name: Name, value: unknown, dependencies?: readonly Name[]): void {
    if (this.#isTaken(name, value)) throw new errorCodes.ALC_ERR_DEC_ALREADY_PRESENT(String(name))
    assertDependencies(name, dependencies, (dependency) => this.has(dependency))
    const prototype = this.Class.prototype as object
    if (isAccessor(value)) defineAccessor(prototype, name, value)
    else if (value !== null && typeof value === 'object') {
      throw new errorCodes.ALC_ERR_DEC_REFERENCE_TYPE(String(name), Array.isArray(value) ? 'array' : 'object')
    } else {
      if (typeof value !== 'function') this.#values.set(name, value)
      Object.defineProperty(prototype, name, { value, writable: true, enumerable: true, configurable: true })
    }
    this.#count++
  }

  // A child may replace a method or accessor of an ancestor, but not a value, because hooks of the ancestor may set it.
  #isTaken(name: Name, value: unknown): boolean {
    if (Object.hasOwn(this.Class.prototype as object, name)) return true
    for (let at = this.#parent; at !== undefined; at = at.#parent) if (at.#values.has(name)) return true
    if (this.#root.#fields.includes(name)) return true
    const builtIn = findProperty(Object.getPrototypeOf(this.#root.Class.prototype), name)
    return builtIn !== undefined && !(typeof builtIn.value === 'function' && typeof value === 'function')
  }

  get #root(): Decorations<T> {
    return this.#parent === undefined ? this : this.#parent.#root
  }
}

type MakeClass = (Base: Constructor, names: readonly Name[], values: readonly unknown[]) => Constructor

/** Makes a subclass whose constructor sets these fields as properties of each instance. */
function withFields<T>(Base: Constructor<T>, fields: readonly (readonly [Name, unknown])[]): Constructor<T> {
  if (fields.length === 0) return Base
  const make = canGenerateCode() ? makerOfClasses(fields.length) : makeClass
  return make(
    Base,
    fields.map(([name]) => name),
    fields.map(([, value]) => value),
  ) as Constructor<T>
}

/**
 * Generates a function that makes a subclass with `count` properties. Each class gets new code: all functions of one source text share what
 * the JavaScript engine learns about their objects, and objects with different properties would make each function slow.
 */
function makerOfClasses(count: number): MakeClass {
  const each = (text: (index: number) => string): string => Array.from({ length: count }, (_, index) => text(index)).join('; ')
  const code = `${each((index) => `const n${index} = names[${index}], v${index} = values[${index}]`)}
return class extends Base {
  constructor(${constructorParameters}) {
    super(${constructorParameters})
    ${each((index) => `this[n${index}] = v${index}`)}
  }
}`
  return Reflect.construct(Function, ['Base', 'names', 'values', code]) as MakeClass
}

/** The parameters of the constructor of requests, as source code. The constructor of replies takes only the first three. */
const constructorParameters = 'a, b, c, d, e, f'

const makeClass: MakeClass = (Base, names, values) =>
  class extends Base {
    constructor(a: unknown, b: unknown, c: unknown, d: unknown, e: unknown, f: unknown) {
      super(a, b, c, d, e, f)
      for (const [index, name] of names.entries()) (this as Record<Name, unknown>)[name] = values[index]
    }
  }

function findProperty(object: object | null, name: Name): PropertyDescriptor | undefined {
  return object === null ? undefined : (Object.getOwnPropertyDescriptor(object, name) ?? findProperty(Object.getPrototypeOf(object), name))
}

/** Adds a property to a server instance. Children inherit it. @throws ALC_ERR_DEC_ALREADY_PRESENT */
export function decorateInstance(instance: object, name: Name, value: unknown, dependencies?: readonly Name[]): void {
  if (Object.hasOwn(instance, name)) throw new errorCodes.ALC_ERR_DEC_ALREADY_PRESENT(String(name))
  assertDependencies(name, dependencies, (dependency) => dependency in instance)
  if (isAccessor(value)) defineAccessor(instance, name, value)
  else (instance as Record<Name, unknown>)[name] = value
}

/**
 * Returns a member of an instance, request or reply by its name; a getter is called once. A function is bound to its owner.
 * @param kind what the owner is, for the message of the error: an instance, a request or a reply
 * @throws ALC_ERR_DEC_UNDECLARED
 */
export function readDecorator(owner: object, name: Name, kind: string): any {
  assertDeclared(owner, name, kind)
  const value = (owner as Record<Name, unknown>)[name]
  return typeof value === 'function' ? value.bind(owner) : value
}

/** Throws unless an instance, request or reply has a member of this name. @throws ALC_ERR_DEC_UNDECLARED */
export function assertDeclared(owner: object, name: Name, kind: string): void {
  if (!(name in owner)) throw new errorCodes.ALC_ERR_DEC_UNDECLARED(String(name), kind)
}

function isAccessor(value: unknown): value is Accessor {
  return value != null && (typeof (value as Accessor).getter === 'function' || typeof (value as Accessor).setter === 'function')
}

function defineAccessor(target: object, name: Name, { getter, setter }: Accessor): void {
  Object.defineProperty(target, name, { get: getter, set: setter, configurable: true })
}

function assertDependencies(name: Name, dependencies: unknown, isPresent: (name: Name) => boolean): void {
  if (dependencies == null) return
  if (!Array.isArray(dependencies)) throw new errorCodes.ALC_ERR_DEC_DEPENDENCY_INVALID_TYPE(String(name))
  for (const dependency of dependencies as Name[]) {
    if (!isPresent(dependency)) throw new errorCodes.ALC_ERR_DEC_MISSING_DEPENDENCY(String(dependency))
  }
}
