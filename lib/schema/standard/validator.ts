/** Validators that run the `validate` of a Standard Schema. */
import { errorCodes } from '../../errors/codes.js'
import type { SchemaErrorDetail, ValidateFunction } from '../../types/compilers.js'
import type { StandardSchema } from '../../types/schema.js'
import { isPlainObject } from '../../util/objects.js'
import { toPointer } from '../../util/json-pointer.js'
import { isPromiseLike } from '../../util/promises.js'
import { shorten } from '../../util/shorten.js'
import { limitIssues } from '../issues/limits.js'
import { validateOf } from './library-validate.js'
import { libraryOf } from './standard-schema.js'

/**
 * The most levels of nested objects and arrays in a value that a library gets. For each level a library makes many calls, and recursive
 * schemas accept any number of levels.
 */
const MAX_DEPTH = 200

type Failure = SchemaErrorDetail[] | undefined

/**
 * A validator that runs the library of a Standard Schema. Like any validator it can also be called with a value, as `request.validateInput`
 * does.
 */
export interface StandardValidator extends ValidateFunction {
  /**
   * Validates one member of an object, and replaces the member by the library's output. Returns `undefined` if the value is valid, else the
   * errors; a promise of either if the library is asynchronous. An error that the library throws is passed on.
   */
  readonly validateMember: (owner: any, key: string) => Failure | Promise<Failure>
  /** The function that coerces texts before the library sees them; `undefined` if nothing is coerced. */
  readonly coerce: Coerce | undefined
}

export function isStandardValidator(validate: ValidateFunction): validate is StandardValidator {
  return 'validateMember' in validate
}

/** A function of ajv that coerces a value in place. */
export type Coerce = (value: any, context: any) => unknown

/** Functions that convert a value before the library validates it, and convert the library's output back. */
export interface Conversion {
  readonly toLibrary: (value: unknown) => unknown
  readonly fromLibrary: (output: unknown) => unknown
}

/**
 * Makes the validator of a Standard Schema, which runs its library.
 * @param coerce coerces texts before the library sees them. Only the library decides whether the texts are valid.
 */
export function createStandardValidator(
  schema: StandardSchema,
  coerce: Coerce | undefined,
  conversion: Conversion | undefined,
): StandardValidator {
  const library = libraryOf(schema)
  const validateWithLibrary = validateOf(schema)

  function validateMember(owner: any, key: string): Failure | Promise<Failure> {
    const memberValue: unknown = owner[key]
    if (isDeeper(memberValue, MAX_DEPTH)) throw new errorCodes.ALC_ERR_CTP_BODY_TOO_DEEP(MAX_DEPTH)
    // The function writes a coerced root value back to its owner.
    coerce?.(memberValue, { instancePath: '', parentData: owner, parentDataProperty: key, rootData: memberValue, dynamicAnchors: {} })
    const value: unknown = owner[key]
    const result: unknown = validateWithLibrary(conversion === undefined ? value : conversion.toLibrary(value))
    return isPromiseLike(result) ? Promise.resolve(result).then((settled) => settle(owner, key, settled)) : settle(owner, key, result)
  }

  function settle(owner: any, key: string, result: any): Failure {
    if (result === null || typeof result !== 'object' || (result.issues === undefined && !('value' in result))) {
      throw new TypeError(
        `validate of ${library} must return { value } or { issues }, but returned ${result === null ? 'null' : typeof result}`,
      )
    }
    if (result.issues !== undefined) return limitIssues(describeIssues(result.issues, library, conversion !== undefined))
    owner[key] = conversion === undefined ? result.value : conversion.fromLibrary(result.value)
    return undefined
  }

  function validate(value: unknown): unknown {
    const owner = { value }
    const report = (failure: Failure): unknown => {
      validate.errors = failure ?? null
      return failure === undefined ? { value: owner.value } : false
    }
    const failure = validateMember(owner, 'value')
    return failure instanceof Promise ? failure.then(report) : report(failure)
  }
  validate.errors = undefined as ValidateFunction['errors']
  return Object.assign(validate, { validateMember, coerce })
}

/**
 * Whether a value has more than some number of levels of nested lists and objects. Only lists and objects of JSON are looked into, because
 * libraries do not look into others, such as buffers.
 */
function isDeeper(value: unknown, levels: number): boolean {
  if (Array.isArray(value)) return levels === 0 || value.some((entry) => isDeeper(entry, levels - 1))
  if (!isPlainObject(value)) return false
  return levels === 0 || Object.values(value).some((entry) => isDeeper(entry, levels - 1))
}

/** Makes errors in the shape of ajv's errors from the issues that a library reports. */
function* describeIssues(issues: Iterable<unknown>, library: string, hasHeaderNames: boolean): Iterable<SchemaErrorDetail> {
  for (const issue of issues) yield describeIssue(issue, library, hasHeaderNames)
}

function describeIssue(issue: unknown, library: string, hasHeaderNames: boolean): SchemaErrorDetail {
  const path = readMember(issue, 'path')
  const names = Array.isArray(path) ? Array.from(path, (segment: any) => String(segment?.key ?? segment)) : []
  if (hasHeaderNames && names.length > 0) names[0] = names[0]!.toLowerCase()
  const [code, message] = [readMember(issue, 'code'), readMember(issue, 'message')]
  return {
    keyword: 'standard',
    instancePath: toPointer(names),
    schemaPath: '#',
    params: { library, path: names.map((name) => shorten(name)), ...(typeof code === 'string' && { code }) },
    message: typeof message === 'string' && message !== '' ? withoutQuotedValue(message, issue) : 'is invalid',
  }
}

/**
 * Removes the invalid value from a message: `but received "hunter2"` and `: Received "hunter2"` of Valibot, `(was "hunter2")` of ArkType. The
 * message is written to the log too, where a secret must not be. What these libraries say of other things than the value itself, such as its
 * type or length, stays.
 */
function withoutQuotedValue(message: string, issue: unknown): string {
  if (readMember(issue, 'data') !== undefined) return withoutQuotesOfArkType(message, issue)
  const [input, received] = [readMember(issue, 'input'), readMember(issue, 'received')]
  const texts = ['string', 'number', 'bigint'].includes(typeof input) ? [`"${String(input)}"`, String(input)] : []
  // A text that a schema has made a date is quoted in another form than it was sent.
  if (typeof received === 'string' && input instanceof Date) texts.push(received)
  // A part of the value, or the message of a parser, which quotes the value.
  if (typeof received === 'string' && received.startsWith('"')) texts.push(received)
  const quote = texts.flatMap((text) => [` but received ${text}`, `: Received ${text}`]).find((each) => message.endsWith(each))
  return quote === undefined ? message : message.slice(0, -quote.length)
}

/** Texts of ArkType about the kind of a value: `missing`, `a string`, `object`. */
const kindOfValue = /^(?:missing|undefined|null|true|false|(?:an? )?(?:string|number|bigint|boolean|symbol|object|function|array|Array))$/

/**
 * Removes values from a message of ArkType, which quotes the whole value or a part of it: `(was "hunter2")`, `("hunter2") must be...` and the
 * message of a parser. The kind and the length of a value stay.
 */
function withoutQuotesOfArkType(message: string, issue: unknown): string {
  const text = message.replace(/\(.*\) must be\.\.\./s, 'must be...')
  const start = text.search(/ \((?:was |SyntaxError: )/)
  if (start === -1) return text
  const actual = text.slice(start + ' (was '.length, -1)
  const code = String(readMember(issue, 'code'))
  const isHarmless = kindOfValue.test(actual) || (code.endsWith('Length') && /^\d+$/.test(actual))
  return isHarmless ? text : text.slice(0, start)
}

/**
 * Reads a member of an issue; returns `undefined` if reading fails. (A library may compute the text of an issue only when it is read, and
 * fail. The value is invalid all the same.)
 */
function readMember(issue: any, name: string): unknown {
  try {
    return issue?.[name]
  } catch {
    return undefined
  }
}
