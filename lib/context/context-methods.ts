/** The HTTP methods that routes of a context can have. */

/**
 * Whether the body of a request with a certain method is read. `always`: a body without a media type is refused. `typed`: only a body with
 * a media type is read. `required`: a request without a media type is refused (RFC 10008 §2). `never`: the body stays in `request.raw` for
 * the handler.
 */
export type BodyUse = 'always' | 'typed' | 'required' | 'never'

export interface MethodFacts {
  readonly body: BodyUse
  /**
   * Whether the server has a member that declares routes of the method, such as `server.get`. The other methods belong to WebDAV: their
   * names (`lock`, `search`) are left to decorators until an application adds them.
   */
  readonly hasShorthand: boolean
}

/** Whether the body of a request is read, by method; `undefined` for a method that no route can have. */
export type BodyReadings = { readonly [method: string]: BodyUse | undefined }

/** The HTTP methods of one context, in capitals: the methods of its parent, and the methods that the context itself adds or changes. */
export class ContextMethods {
  readonly #parent: ContextMethods | undefined
  readonly #own: Map<string, MethodFacts>

  constructor(own = new Map<string, MethodFacts>(), parent?: ContextMethods) {
    this.#own = own
    this.#parent = parent
  }

  child(): ContextMethods {
    return new ContextMethods(undefined, this)
  }

  add(name: string, facts: MethodFacts): void {
    this.#own.set(name, facts)
  }

  find(name: string): MethodFacts | undefined {
    return this.#own.get(name) ?? this.#parent?.find(name)
  }

  get all(): string[] {
    return [...new Set([...(this.#parent?.all ?? []), ...this.#own.keys()])]
  }

  /** The methods for which the instance has a member, such as `server.get` for GET. */
  get withShorthand(): string[] {
    return this.all.filter((name) => this.find(name)!.hasShorthand)
  }

  get bodyReadings(): BodyReadings {
    if (this.#parent !== undefined && this.#own.size === 0) return this.#parent.bodyReadings
    // Over HTTP/2 any word can be a method, `constructor` as well.
    const readings: Record<string, BodyUse> = Object.assign(Object.create(null), this.#parent?.bodyReadings)
    for (const [name, { body }] of this.#own) readings[name] = body
    return readings
  }
}
