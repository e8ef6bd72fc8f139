/** The errors of Fastify 5: the errors of the server, under Fastify's codes and class. */
import { errorCodes as ownErrorCodes } from '../errors/codes.js'
import { type AlcoveError, type AlcoveErrorConstructor, callableWithoutNew, defineErrors } from '../errors/error-constructor.js'

const ownConstructors: Readonly<Record<string, AlcoveErrorConstructor<any[]>>> = ownErrorCodes

/** The code that Fastify has for an error code of alcove. */
type FastifyCode<Code> = Code extends `ALC_ERR_JSV_${infer Rest}`
  ? `FST_ERR_AJV_${Rest}`
  : Code extends `ALC_ERR_${infer Rest}`
    ? `FST_ERR_${Rest}`
    : never

/** Returns the code that Fastify has for an error code of alcove: `ALC_ERR_NOT_FOUND` → `FST_ERR_NOT_FOUND`. */
function fastifyCode(code: string): string {
  return code.replace(/^ALC_ERR_JSV_/, 'FST_ERR_AJV_').replace(/^ALC_ERR_/, 'FST_ERR_')
}

function createConstructor(code: string, Own: AlcoveErrorConstructor<any[]>): AlcoveErrorConstructor<any[]> {
  class FastifyError extends Own {
    constructor(...args: any[]) {
      super(...args)
      setCode(this, code)
      setFastifyMessage(this, code)
    }
    override get name(): string {
      return 'FastifyError'
    }
  }
  return callableWithoutNew(FastifyError)
}

function withoutStatusKey(ours: string): string {
  return ours.replace(/, not under '.*'$/, '')
}

/**
 * By code, functions that turn alcove's message into Fastify 5's message, for the messages that clients and tests compare. If alcove's
 * message names a part of the schema, the error keeps that part as `part`.
 */
const messages: Readonly<Record<string, (ours: string, error: Error & { context?: string }) => string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => 'Unsupported Media Type',
  FST_ERR_SCH_VALIDATION_BUILD: (ours) => ours.replace(/ \(in the schema of (?:params|body|querystring|headers)\).*$/, ''),
  FST_ERR_SCH_SERIALIZATION_BUILD: withoutStatusKey,
  FST_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX: withoutStatusKey,
  FST_ERR_DEC_REFERENCE_TYPE: (ours) =>
    ours.replace(
      /of type '.*' is a reference type.*$/,
      "of type 'object' is a reference type. Use the { getter, setter } interface instead.",
    ),
  FST_ERR_HOOK_TIMEOUT: (ours, { context = '' }) => {
    const [, name] = / hook '(.*)' of /.exec(context) ?? []
    return name === undefined ? ours : ours.replace(' hook timed out', () => ` hook "${name}" timed out`)
  },
}

function setFastifyMessage(error: Error, code: string): void {
  const message = messages[code]
  if (message !== undefined) error.message = message(error.message, error)
}

function setCode(error: Error, code: string): void {
  ;(error as { code?: string }).code = code
}

type FastifyErrorCodes = {
  readonly [Code in keyof typeof ownErrorCodes as FastifyCode<Code>]: (typeof ownErrorCodes)[Code]
} & typeof onlyInFastify

/**
 * The constructors of errors that only `alcove/fastify` has, by code. `createServer` does not refuse the same things, or reports them by
 * other errors.
 */
const onlyInFastify = presentAll(
  defineErrors({
    // It replaces the SyntaxError of the JavaScript engine.
    FST_ERR_CTP_INVALID_JSON_BODY: [400, () => "Body is not valid JSON but content-type is set to 'application/json'"],
    FST_ERR_LOG_INVALID_LOGGER_CONFIG: [
      500,
      () => "logger options only accepts a configuration object. Pass a logger as 'loggerInstance'.",
      TypeError,
    ],
    FST_ERR_ROUTE_LOG_LEVEL_INVALID: [
      500,
      (method: string, path: string, level: string) =>
        `Log level for '${method}:${path}' route must be a valid logger level. Received: '${level}'`,
      TypeError,
    ],
    FST_ERR_PLUGIN_INVALID_ASYNC_HANDLER: [
      500,
      (name: string) =>
        `The ${name} plugin being registered mixes async and callback styles. Async plugin should not mix async and callback style.`,
      TypeError,
    ],
  }),
)

/** Makes the constructors of Fastify's errors from alcove's constructors, by Fastify's codes. */
function presentAll<Constructors extends Readonly<Record<string, AlcoveErrorConstructor<any[]>>>>(own: Constructors): Constructors {
  const presented = Object.entries(own).map(([code, Own]) => [fastifyCode(code), createConstructor(fastifyCode(code), Own)])
  return Object.fromEntries(presented) as Constructors
}

/**
 * The constructors of the framework's errors, by Fastify's codes. Use them to recognize an error, or to throw the same error.
 * ```ts
 * if (error instanceof errorCodes.FST_ERR_CTP_BODY_TOO_LARGE) …
 * ```
 */
export const errorCodes = { ...presentAll(ownConstructors), ...onlyInFastify } as FastifyErrorCodes

/**
 * Changes an error of the framework into the error that Fastify 5 has. The error stays the same object, with its stack, and is still an
 * instance of its class in `alcove`. Any other value is returned unchanged.
 */
export function presentError(error: unknown): unknown {
  if (!(error instanceof Error) || Object.isFrozen(error)) return error
  const { code } = error as Partial<AlcoveError>
  if (typeof code !== 'string' || !code.startsWith('ALC_ERR_')) return error
  const known = fastifyCode(code)
  if (Object.getPrototypeOf(error) === ownConstructors[code]?.prototype)
    Object.setPrototypeOf(error, errorCodes[known as keyof FastifyErrorCodes].prototype)
  setCode(error, known)
  setFastifyMessage(error, known)
  // Fastify has called the part so since version 5.
  const failed = error as { validationContext?: string }
  if (failed.validationContext === 'query') failed.validationContext = 'querystring'
  return error
}
