/** The error classes that a route lists in `throws`: the serializers of their payloads, and a check for errors of other classes. */
import type { HttpError, HttpErrorClass } from '../errors/http-error.js'
import { errorClassOf } from '../schema/error-class.js'
import { whenCompiled } from '../schema/lazy/cache.js'
import type { SerializeFunction } from '../types/compilers.js'

export class ThrownErrors {
  /** The name of the route in log lines and messages; `undefined` for a route that answers if no route was found. */
  readonly place: string | undefined
  readonly #serializers = new Map<HttpErrorClass, SerializeFunction>()
  /**
   * The faults that were logged already, so that each is logged once: classes of errors that the route does not list, and members that
   * errors lacked.
   */
  readonly #warned = new Set<HttpErrorClass | string>()

  constructor(place: string | undefined) {
    this.place = place
  }

  add(Class: HttpErrorClass, serialize: SerializeFunction): void {
    this.#serializers.set(Class, serialize)
    whenCompiled(serialize, (compiled) => this.#serializers.set(Class, compiled))
  }

  /** Finds the serializer of an error whose class, or a class that it extends, is listed. */
  serializerOf(error: HttpError): SerializeFunction | undefined {
    if (this.#serializers.size === 0) return undefined
    let Class: HttpErrorClass | null = error.constructor as HttpErrorClass
    for (; typeof Class === 'function'; Class = Object.getPrototypeOf(Class) as HttpErrorClass | null) {
      const serialize = this.#serializers.get(Class)
      // A class written by hand may pass another status on.
      if (serialize !== undefined && Class.status === error.statusCode) return serialize
    }
    return undefined
  }

  /** Returns the class of an error if it is a class for `throws` that this route does not list; otherwise `undefined`. */
  unlistedClassOf(error: HttpError): HttpErrorClass | undefined {
    const Class = this.place === undefined ? undefined : errorClassOf(error)
    return Class !== undefined && this.serializerOf(error) === undefined ? Class : undefined
  }

  /**
   * Notes a fault: a class that is not listed, or a member that errors of a status lack.
   * @returns whether the fault is noted for the first time
   */
  noteFirst(found: HttpErrorClass | string): boolean {
    return this.#warned.size < this.#warned.add(found).size
  }
}
