/** Compilers of schemas, what they compile to, and what validation reports. */
import type { HttpPart, ValidationContext } from './request.js'
import type { Server } from './server.js'

/** `fn(errors, dataVar)`; synchronous; must return an Error (spec: Compilers and handlers). `this` is the server. */
export type SchemaErrorFormatter = (this: Server, errors: SchemaErrorDetail[], dataVar: HttpPart) => Error

/** `fn({ schema, method, url, httpPart })` returns `data => result`. */
export type ValidatorCompiler<S = any> = (route: { schema: S; method: string; url: string; httpPart: HttpPart }) => ValidateFunction

/**
 * Validates a value. Returns `false`, with the reasons in `errors`, or `{ error }` for an invalid one; `{ value }` to replace it;
 * anything else for a valid one; or a promise of one of these. A rejection is a validation error, a throw is a failure of the
 * server.
 */
export interface ValidateFunction {
  (data: any): boolean | { value?: unknown; error?: unknown } | Promise<unknown> | void | any
  errors?: SchemaErrorDetail[] | null | undefined
}

/** `fn({ schema, method, url, httpStatus, contentType })` returns `data => string`. */
export type SerializerCompiler<S = any> = (route: {
  schema: S
  method: string
  url: string
  httpStatus: string
  contentType?: string | undefined
}) => SerializeFunction

/** Returns the text of a value. Synchronous. */
export type SerializeFunction = (data: any) => string

/** Serializes the payloads of a context in place of its response schemas; see {@link Server.setReplySerializer}. Synchronous. */
export type ReplySerializer = (payload: any, statusCode: number) => string | Buffer

/** One error of the default validator (ajv's own object, untouched). */
export interface SchemaErrorDetail {
  keyword: string
  /** Where the value is in its part, as a JSON pointer: `/address/street`. */
  instancePath: string
  /** Where the keyword is in the schema: `#/properties/address/required`. */
  schemaPath: string
  /** What the keyword says of it: `{ missingProperty: 'street' }`. */
  params: Record<string, any>
  message?: string
}

/** The error of a failed validation (spec: Validation error object). */
export interface ValidationError extends Error {
  /** 400, unless the formatter's error has another. */
  statusCode: number
  /** `ALC_ERR_VALIDATION`, unless the formatter's error has another. */
  code: string
  /** What the validator reported: by default {@link SchemaErrorDetail}s. */
  validation: any
  validationContext: ValidationContext
}

/** A shared schema; `$id` is how it is referred to (spec: Shared schema). */
export interface SharedSchema {
  $id?: string
  [keyword: string]: unknown
}

/** Builds the compilers of a context from its shared schemas. */
export interface SchemaController {
  /** Makes the store of a context's shared schemas from those of its parent. */
  bucket?: (parentSchemas?: Record<string, any>) => SchemaBucket
  /** Makes the compilers of a context from its shared schemas, by `$id`. */
  compilersFactory?: {
    /** `options` are `jsv` of the server. `buildValidatorCompiler` makes the default one. */
    buildValidator?: (externalSchemas: Record<string, any>, options: JsvOptions) => ValidatorCompiler
    /** `options` are `serializerOpts` of the server. */
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
 * Options of the default validator (spec: Validation behavior 3 and 4): ajv 8 with the formats of ajv-formats. The baseline is
 * ```ts
 * { coerceTypes: 'array', useDefaults: true, removeAdditional: true, allErrors: false, addUsedSchema: false,
 *   uriResolver: fastUri, code: { optimize: false } }
 * ```
 */
export interface JsvOptions {
  /**
   * Validator plugins: functions, or `[function, options]`, called with each ajv instance. ajv-formats among them takes the place
   * of the built-in formats.
   */
  plugins?: unknown[]
  /** Options of ajv, merged over the baseline. */
  customOptions?: Record<string, any>
  /** Called with every ajv instance that is made, after the plugins. */
  onCreate?: (jsv: any) => void
}
