/** Schema compilers, the functions that they return, and the errors that validation reports. */
import type { HttpPart, ValidationContext } from './request.js'
import type { Server } from './server.js'

/**
 * Makes the error of a failed validation from the reported errors and the name of the request part: `fn(errors, dataVar)`. Must return an
 * Error synchronously. `this` is the server.
 */
export type SchemaErrorFormatter = (this: Server, errors: SchemaErrorDetail[], dataVar: HttpPart) => Error

/** Compiles a schema to a validator: `fn({ schema, method, url, httpPart })` returns `data => result`. */
export type ValidatorCompiler<S = any> = (route: { schema: S; method: string; url: string; httpPart: HttpPart }) => ValidateFunction

/**
 * Validates a value. Returns `false` with the reasons in `errors`, or `{ error }`, if the value is invalid; `{ value }` to replace the
 * value; anything else if the value is valid; or a promise of one of these. The function may also throw the error of its library, or reject
 * with it: an error that has the name `ValidationError`, a list `issues`, a property `validation` or the status 400 is a validation error,
 * and so is a list of errors. Any other error that the function throws means that the validator itself has failed; it is answered like an
 * error that a handler throws. Only a Joi schema may throw a plain `Error` (`external`).
 */
export interface ValidateFunction {
  (data: any): boolean | { value?: unknown; error?: unknown } | Promise<unknown> | void | any
  errors?: SchemaErrorDetail[] | null | undefined
}

/** Compiles a schema to a serializer: `fn({ schema, method, url, httpStatus, contentType })` returns `data => string`. */
export type SerializerCompiler<S = any> = (route: {
  schema: S
  method: string
  url: string
  httpStatus: string
  contentType?: string | undefined
}) => SerializeFunction

/** Serializes a value: returns its text synchronously. */
export type SerializeFunction = (data: any) => string

/**
 * Serializes the payloads of a context's routes; the response schemas of the routes are then not used. Synchronous. See
 * {@link Server.setReplySerializer}.
 */
export type ReplySerializer = (payload: any, statusCode: number) => string | Buffer

/** One error that the default validator reports: the object of ajv, unchanged. */
export interface SchemaErrorDetail {
  keyword: string
  /** The place of the invalid value in its request part, as a JSON pointer: `/address/street`. */
  instancePath: string
  /** The place in the schema of the keyword that refused the value: `#/properties/address/required`. */
  schemaPath: string
  /** Details of the error, depending on the keyword: `{ missingProperty: 'street' }`. */
  params: Record<string, any>
  message?: string
}

/** The error of a failed validation. */
export interface ValidationError extends Error {
  /**
   * The status of the error: always 400, even if the formatter has made an error with another status. An error handler may answer with
   * another status.
   */
  statusCode: number
  /** `ALC_ERR_VALIDATION`, or the code of the error that the formatter has made. */
  code: string
  /** The reasons that the validator reported: by default an array of {@link SchemaErrorDetail}. */
  validation: any
  validationContext: ValidationContext
}

/** A shared schema, as `addSchema` takes it. Other schemas refer to it by its `$id`. */
export interface SharedSchema {
  $id?: string
  [keyword: string]: unknown
}

/**
 * The settings for the schemas of a context and the contexts below it: the store of shared schemas, the coercion of JSON bodies, and the
 * factories of schema compilers.
 * ```ts
 * const exactBodies: SchemaController = { coerceBodies: false }
 * ```
 */
export interface SchemaController {
  /**
   * Whether the default validator coerces JSON bodies as it coerces texts: `null` becomes 0, `"7"` becomes 7 (default: `true`, as in
   * Fastify). With `false`, a value whose type is not the schema's is refused. Params, query strings, headers and forms are texts, and are
   * coerced in any case.
   */
  coerceBodies?: boolean
  /** Makes the store of a context's shared schemas from its parent's schemas. */
  bucket?: (parentSchemas?: Record<string, any>) => SchemaBucket
  /** Makes the compilers of a context. Each function gets the shared schemas of the context by `$id`. */
  compilersFactory?: {
    /**
     * Makes the compiler of request schemas. `options` is the server's option `jsv`. The export `buildValidatorCompiler` makes the default
     * compiler.
     */
    buildValidator?: (externalSchemas: Record<string, any>, options: JsvOptions) => ValidatorCompiler
    /** Makes the compiler of response schemas. `options` is the server's option `serializerOpts`. */
    buildSerializer?: (externalSchemas: Record<string, any>, options: object | undefined) => SerializerCompiler
  }
}

/** A store of shared schemas, by `$id`. */
export interface SchemaBucket {
  add(schema: any): unknown
  getSchema(id: string): any
  getSchemas(): Record<string, any>
}

/**
 * Options of the default validator: ajv 8 with the formats of ajv-formats. Without options ajv has this baseline:
 * ```ts
 * const baseline = { coerceTypes: 'array', useDefaults: true, removeAdditional: true, allErrors: false, addUsedSchema: false,
 *   uriResolver: fastUri, code: { optimize: false } }
 * ```
 */
export interface JsvOptions {
  /**
   * Validator plugins: functions or `[function, options]`, called with each ajv instance. If ajv-formats is one of them, it replaces
   * the built-in formats.
   */
  plugins?: unknown[]
  /** Options of ajv. They override the baseline of {@link JsvOptions}. */
  customOptions?: Record<string, any>
  /** Is called with each new ajv instance, after the plugins. */
  onCreate?: (jsv: any) => void
}
