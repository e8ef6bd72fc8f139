/** Errors in the shape of the specification: `{ "errors": { "title": ["can't be blank"] } }`. */
import {
  type ErrorHandler,
  type Reply,
  type Request,
  type RouteHandler,
  type SchemaErrorDetail,
  type ValidationError,
  declareReplies,
} from 'alcove'
import { isConflict } from './database/unit-of-work.js'
import { GenericErrorModel } from './error.schema.js'

type ErrorMessages = Record<string, string[]>

/** A failure that is reported to the client, under the name of the field or object that is wrong. */
export class ApiError extends Error {
  readonly statusCode: number
  readonly errors: ErrorMessages

  constructor(statusCode: number, errors: Record<string, string>) {
    super(
      Object.entries(errors)
        .map(([subject, message]) => `${subject} ${message}`)
        .join(', '),
    )
    this.statusCode = statusCode
    this.errors = Object.fromEntries(Object.entries(errors).map(([subject, message]) => [subject, [message]]))
  }
  override get name(): string {
    return 'ApiError'
  }
}

export const notFound = (subject: string): ApiError => new ApiError(404, { [subject]: 'not found' })
export const forbidden = (subject: string): ApiError => new ApiError(403, { [subject]: 'forbidden' })
export const taken = (field: string): ApiError => new ApiError(422, { [field]: 'has already been taken' })

interface HttpFailure extends Error {
  statusCode?: number
  code?: string
}

const anyFailure = {
  responses: { default: { description: 'Any other failure', content: { 'application/json': { schema: GenericErrorModel } } } },
}

/** The error handler of the application. It answers every failure in the same format. */
export const answerError: ErrorHandler<HttpFailure> = declareReplies(function answerError(
  error: HttpFailure,
  request: Request,
  reply: Reply,
) {
  const { status, errors } = describe(error)
  if (status >= 500) request.log.error({ err: error }, error.message)
  else request.log.info({ err: { type: error.name, message: error.message, code: error.code } }, 'refused')
  return reply.code(status).send({ errors })
}, anyFailure)

export const answerNotFound: RouteHandler = (_request, reply) => reply.code(404).send({ errors: { route: ['not found'] } })

function describe(error: HttpFailure): { status: number; errors: ErrorMessages } {
  if (error instanceof ApiError) return { status: error.statusCode, errors: error.errors }
  if ('validation' in error) return { status: 422, errors: describeValidation(error as ValidationError) }
  if (isConflict(error)) return { status: 409, errors: { body: ['Another request has changed the same data at the same time, try again'] } }
  const refused = refusedByDatabase.get(error.code ?? '')
  if (refused !== undefined) return { status: 422, errors: { body: [refused] } }
  const status = error.statusCode ?? 500
  if (error.code === 'ALC_ERR_BAD_URL') return { status, errors: { url: ['is malformed'] } }
  // A body that is not JSON gets the same status as one that fails its schema. Other statuses stay as they are.
  if (status === 400) return { status: 422, errors: { body: [error.message] } }
  return { status, errors: { body: [status < 500 ? error.message : (serverFaults.get(status) ?? 'Internal server error')] } }
}

const serverFaults = new Map([[503, 'Service unavailable, try again later']])

/** Values that schemas allow but text columns refuse. */
const refusedByDatabase = new Map([
  ['22021', 'contains a character that cannot be stored'],
  ['22P05', 'contains a character that cannot be stored'],
])

/** Messages by field, without the name of the object around it (`user`, `article`, `comment`). */
function describeValidation({ validation, validationContext }: ValidationError): ErrorMessages {
  const errors: ErrorMessages = {}
  for (const detail of validation as SchemaErrorDetail[]) {
    const path = detail.instancePath.split('/').slice(1)
    if (detail.keyword === 'required') path.push(String(detail.params['missingProperty']))
    const field = (validationContext === 'body' ? (path[1] ?? path[0]) : path[0]) ?? validationContext
    const messages = (errors[field] ??= [])
    const message = wording(detail)
    if (!messages.includes(message)) messages.push(message)
  }
  return errors
}

function wording({ keyword, params, message = 'is invalid' }: SchemaErrorDetail): string {
  if (keyword === 'required' || (keyword === 'minLength' && params['limit'] === 1) || keyword === 'pattern') return "can't be blank"
  if (keyword === 'type') return `must be ${[params['type']].flat().join(' or ')}`
  if (keyword === 'format') return 'is invalid'
  if (keyword === 'minLength') return `is too short (minimum is ${params['limit']} characters)`
  if (keyword === 'maxLength') return `is too long (maximum is ${params['limit']} characters)`
  return message
}
