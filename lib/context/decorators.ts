/**
 * Decorations of requests and replies: what each context adds, and the classes that carry it.
 *
 * A context's requests are instances of a class that extends its parent context's class: a handler sees what its context and
 * its ancestors declare, whenever they declared it, and nothing else.
 */
import { errorCodes } from '../errors.js'

type Name = string | symbol
export type Constructor<T = any> = new (...args: any[]) => T
interface Accessor {
  getter?: () => unknown
  setter?: (value: any) => void
}

export class Decorations<T = any> {
  /** The class of this context's requests or replies; grows while the server boots. */
  readonly Class: Constructor<T>
  readonly #parent: Decorations<T> | undefined
  readonly #values = new Map<Name, unknown>()
  readonly #fields: readonly Name[]
  #isDecorated = false
  #effective: Constructor<T> | undefined

  private constructor(Class: Constructor<T>, fields: readonly Name[], parent?: Decorations<T>) {
    this.Class = Class
    this.#fields = fields
    this.#parent = parent
  }

  /**
   * Decorations of the root context, whose instances are of a subclass of `Base`.
   * @param fields what each instance has as its own and would hide a decoration of that name
   */
  static root<T>(Base: Constructor<T>, fields: readonly Name[]): Decorations<T> {
    return new Decorations<T>(class extends (Base as Constructor) {} as Constructor<T>, fields)
  }

  /** Decorations of a child context: it sees ours, we do not see its. */
  child(): Decorations<T> {
    return new Decorations<T>(class extends (this.Class as Constructor) {} as Constructor<T>, [], this)
  }

  /**
   * The class that requests or replies of this context are made of, once all is declared. Contexts that add nothing share
   * their ancestor's. Values are set in the constructor, so that whether a hook replaces one or not, all have one shape.
   */
  get EffectiveClass(): Constructor<T> {
    if (!this.#isDecorated && this.#parent !== undefined) return this.#parent.EffectiveClass
    if (this.#effective === undefined) {
      this.#effective = this.Class
      for (const [name, value] of this.#allValues) this.#effective = withField(this.#effective, name, value)
    }
    return this.#effective
  }

  get #allValues(): [Name, unknown][] {
    return [...(this.#parent === undefined ? [] : this.#parent.#allValues), ...this.#values]
  }

  has(name: Name): boolean {
    return name in this.Class.prototype
  }

  /** The names that this context itself adds. */
  get ownNames(): Name[] {
    return Reflect.ownKeys(this.Class.prototype as object).filter((name) => name !== 'constructor')
  }

  /**
   * @throws ALC_ERR_DEC_ALREADY_PRESENT when the name is taken here, is a value declared by an ancestor, or is built in; only
   * a built-in method may be replaced, and by a function
   * @throws ALC_ERR_DEC_REFERENCE_TYPE for objects and arrays, which all requests would share
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
    this.#isDecorated = true
  }

  // A child may have its own method or accessor of a name; a value that its ancestors set up in hooks it may not replace.
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

// Requests take six arguments, replies three.
function withField<T>(Base: Constructor<T>, name: Name, value: unknown): Constructor<T> {
  return class extends (Base as Constructor) {
    constructor(a: unknown, b: unknown, c: unknown, d: unknown, e: unknown, f: unknown) {
      super(a, b, c, d, e, f)
      ;(this as Record<Name, unknown>)[name] = value
    }
  } as Constructor<T>
}

function findProperty(object: object | null, name: Name): PropertyDescriptor | undefined {
  return object === null ? undefined : (Object.getOwnPropertyDescriptor(object, name) ?? findProperty(Object.getPrototypeOf(object), name))
}

/** Adds a property to a server instance; children inherit it. @throws ALC_ERR_DEC_ALREADY_PRESENT */
export function decorateInstance(instance: object, name: Name, value: unknown, dependencies?: readonly Name[]): void {
  if (Object.hasOwn(instance, name)) throw new errorCodes.ALC_ERR_DEC_ALREADY_PRESENT(String(name))
  assertDependencies(name, dependencies, (dependency) => dependency in instance)
  if (isAccessor(value)) defineAccessor(instance, name, value)
  else (instance as any)[name] = value
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
