/** Makes the constructors of the framework's errors out of a table of error codes. */
/**
 * An error of the framework, made by a constructor of `errorCodes`: `code` says which error it is, `statusCode` is the status of the reply
 * that a client would get.
 */
export interface AlcoveError extends Error {
  /** The code of the error, `ALC_ERR_…`. docs/reference/errors.md says when it occurs and what to do. */
  readonly code: string
  statusCode: number
  /** Path of the context in which the error happened, e.g. `App > PublicPlugin`. */
  context?: string
}

/** A constructor of the errors of one code, with or without `new`. Its arguments are put into the message. */
export interface AlcoveErrorConstructor<A extends unknown[] = unknown[]> {
  new (...args: A): AlcoveError
  (...args: A): AlcoveError
  readonly prototype: AlcoveError
}

/** The definition of an error: status of the reply, message, and the class that the error extends (default: `Error`). */
export type ErrorDefinition<A extends any[]> = readonly [statusCode: number, message: (...args: A) => string, Base?: ErrorConstructor]

/** Makes the constructors of a table of errors, by code. Each constructor takes the arguments of its error's message. */
export function defineErrors<Definitions extends Record<string, ErrorDefinition<any[]>>>(
  definitions: Definitions,
): { [Code in keyof Definitions]: AlcoveErrorConstructor<Parameters<Definitions[Code][1]>> } {
  const constructors: Record<string, AlcoveErrorConstructor<any[]>> = {}
  for (const [code, definition] of Object.entries(definitions)) constructors[code] = createErrorConstructor(code, ...definition)
  return constructors as ReturnType<typeof defineErrors<Definitions>>
}

/** Makes the constructor of the errors of one code. */
function createErrorConstructor<A extends unknown[]>(
  code: string,
  ...[statusCode, message, Base = Error]: ErrorDefinition<A>
): AlcoveErrorConstructor<A> {
  class AlcoveError extends Base {
    declare code: string
    declare statusCode: number
    constructor(...args: A) {
      super(message(...args))
      this.code = code
      this.statusCode = statusCode
    }
    override get name(): string {
      return 'AlcoveError'
    }
    override toString(): string {
      return `${this.name} [${this.code}]: ${this.message}`
    }
  }
  return callableWithoutNew(AlcoveError)
}

/** Makes a class of errors callable without `new`, as the constructors of the built-in errors are. */
export function callableWithoutNew<A extends unknown[]>(Class: new (...args: A) => AlcoveError): AlcoveErrorConstructor<A> {
  // The class has no call signature: the proxy adds it.
  return new Proxy(Class, { apply: (Target, _this, args) => new Target(...(args as A)) }) as unknown as AlcoveErrorConstructor<A>
}
