/** Classes of errors that have a status, and a schema of the members that they add to the payload. */
import {
  type ErrorExtensions,
  HttpError,
  type HttpErrorClass,
  type HttpErrorOptions,
  isErrorMember,
  isErrorStatus,
} from '../errors/http-error.js'
import { errorCodes } from '../errors/codes.js'
import type { ErrorFormat } from '../http/error-payload.js'
import type { ResponseBody, SendableBody } from '../types/schema.js'
import { isObject } from '../util/objects.js'
import { assertKnownOptions } from '../util/nearest-name.js'
import { completeResponse } from './normalize.js'

/** The options that all errors of a class have in common. */
export type HttpErrorDefaults = Pick<HttpErrorOptions, 'code' | 'expose' | 'headers' | 'title' | 'type'> & {
  /** The default message of an error of the class. Default: the text of the status. In documents the message describes the reply. */
  readonly message?: string
}

type Members<S> = SendableBody<{ response: { default: S } }>
type MembersArgument<S> = {} extends Members<S> ? [members?: Members<S>] : [members: Members<S>]
type Rest = [message?: string | undefined, options?: Pick<HttpErrorOptions, 'cause' | 'expose' | 'headers'>]

/** The type of the base classes that {@link httpError} returns. */
export interface HttpErrorBase<Status extends number, S> {
  new (
    ...args: [...MembersArgument<S>, ...Rest]
  ): HttpError & { readonly statusCode: Status; readonly extensions: ResponseBody<{ response: { default: S } }> }
  readonly status: Status
  readonly schema: S
  readonly description: string | undefined
}

/**
 * Makes a base class of errors with a status and with members that they add to the payload. A route, controller or plugin lists its classes
 * in `throws`.
 * ```ts
 * class OutOfCredit extends httpError(403, { type: 'object', required: ['balance'], properties: { balance: { type: 'number' } } }) {}
 *
 * const server = createServer()
 * server.post('/orders', { throws: [OutOfCredit] }, () => {
 *   throw new OutOfCredit({ balance: 30 }, 'The price is 50') // { statusCode, error, message, balance }
 * })
 * ```
 * @param schema the schema of an object with the members, as JSON Schema, in shorthand, or of a library. The other members of the payload
 * are added to it.
 * @throws ALC_ERR_BAD_STATUS_CODE if `status` is not a whole number from 400 to 599; TypeError for an option that does not exist
 */
export function httpError<const Status extends number, const S extends object = {}>(
  status: Status,
  schema: S = {} as S,
  options: HttpErrorDefaults = {},
): HttpErrorBase<Status, S> {
  assertKnownOptions('httpError(…)', options, ['message', 'code', 'expose', 'headers', 'title', 'type'])
  const { message: defaultMessage, ...defaults } = options
  if (!isErrorStatus(status)) throw new errorCodes.ALC_ERR_BAD_STATUS_CODE(status, 'Called httpError (400 to 599)')
  class ListedError extends HttpError {
    static readonly status = status
    static readonly schema = schema
    static readonly description = defaultMessage
    constructor(members?: ErrorExtensions, message: string | undefined = defaultMessage, options: HttpErrorOptions = {}) {
      super(status, message, { ...defaults, ...options, ...(members && { extensions: members }) })
    }
    override get name(): string {
      return this.constructor.name
    }
  }
  return ListedError as unknown as HttpErrorBase<Status, S> // the types of the members are only in the interface
}

/** Returns the class of an error if it is a class for `throws`, which means that it has a static `status`; otherwise `undefined`. */
export function errorClassOf(error: HttpError): HttpErrorClass | undefined {
  const { constructor: Class } = error as { constructor: unknown }
  return isErrorStatus((Class as Partial<HttpErrorClass> | undefined)?.status) ? (Class as HttpErrorClass) : undefined
}

/** Returns the fault of an entry of `throws` and what to write instead; `undefined` if the entry has no fault. */
export function problemOfErrorClass(value: unknown): string | undefined {
  const example = 'Write class NoSuchUser extends httpError(404, { … }) {}, and list the class.'
  if (typeof value !== 'function' || !(value.prototype instanceof HttpError)) return `It is not a class that extends HttpError. ${example}`
  const { status } = value as Partial<HttpErrorClass>
  if (!isErrorStatus(status)) return `It has no static status from 400 to 599. ${example}`
  let members: MemberSchema | undefined
  try {
    members = errorMembers(value as HttpErrorClass)
  } catch (error) {
    return `Its schema cannot be read: ${(error as Error).message}`
  }
  if (members === undefined)
    return 'Its schema is not that of an object with properties. Write { id: { … } }, the members that it adds to the payload.'
  const taken = Object.keys(members.properties).find(isErrorMember)
  return taken === undefined
    ? undefined
    : `Its schema has the member '${taken}', which the payload has already. Give it another name, or leave it out.`
}

interface MemberSchema {
  readonly $id?: string
  readonly properties: object
  readonly required?: readonly string[]
}

/**
 * Returns the schema of the members that a class of errors adds to the payload, as JSON Schema; `undefined` if it does not describe an
 * object.
 */
function errorMembers({ schema = {} }: HttpErrorClass): MemberSchema | undefined {
  // `httpError(404, {})` adds no members. As a response, the same schema would allow any value.
  const complete: unknown = isObject(schema) && Reflect.ownKeys(schema).length === 0 ? { properties: {} } : completeResponse(schema)
  const { type, properties } = complete as { type?: unknown; properties?: unknown }
  const hasMembers = isObject(properties) && (type === undefined || type === 'object')
  return hasMembers ? (complete as MemberSchema) : undefined
}

/** Returns the schema of the whole payload that errors of a class have in a format. */
export function payloadSchema(Class: HttpErrorClass, { schema: common }: ErrorFormat): object {
  const { $id: _id, ...members } = errorMembers(Class)!
  return {
    ...members,
    type: 'object',
    required: [...common.required, ...(members.required ?? [])],
    properties: { ...common.properties, ...members.properties },
  }
}
