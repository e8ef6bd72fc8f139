/** The errors of Fastify 5: those of the server, under Fastify's codes and class. */
import { errorCodes as ownErrorCodes } from '../errors/codes.js'
import { type AlcoveError, type AlcoveErrorConstructor, callableWithoutNew, createErrorConstructor } from '../errors/error-constructor.js'

const ownConstructors: Readonly<Record<string, AlcoveErrorConstructor<any[]>>> = ownErrorCodes

/** Fastify's code for one of ours. */
type FastifyCode<Code> = Code extends `ALC_ERR_JSV_${infer Rest}`
  ? `FST_ERR_AJV_${Rest}`
  : Code extends `ALC_ERR_${infer Rest}`
    ? `FST_ERR_${Rest}`
    : never

/** Fastify's code for one of ours: `ALC_ERR_NOT_FOUND` → `FST_ERR_NOT_FOUND`. */
function fastifyCode(code: string): string {
  return code.replace(/^ALC_ERR_JSV_/, 'FST_ERR_AJV_').replace(/^ALC_ERR_/, 'FST_ERR_')
}

function createConstructor(code: string, Own: AlcoveErrorConstructor<any[]>): AlcoveErrorConstructor<any[]> {
  class FastifyError extends Own {
    constructor(...given: any[]) {
      super(...given)
      setCode(this, code)
    }
    override get name(): string {
      return 'FastifyError'
    }
  }
  return callableWithoutNew(FastifyError)
}

function setCode(error: Error, code: string): void {
  ;(error as { code?: string }).code = code
}

type FastifyErrorCodes = {
  readonly [Code in keyof typeof ownErrorCodes as FastifyCode<Code>]: (typeof ownErrorCodes)[Code]
} & { readonly [malformedJsonCode]: AlcoveErrorConstructor<[]> }

const malformedJsonCode = 'FST_ERR_CTP_INVALID_JSON_BODY'
/** In the place of the engine's SyntaxError. */
export const MalformedJsonError = createConstructor(
  malformedJsonCode,
  createErrorConstructor(malformedJsonCode, 400, () => "Body is not valid JSON but content-type is set to 'application/json'"),
)

/**
 * The constructors of errors, by Fastify's codes.
 * ```ts
 * if (error instanceof errorCodes.FST_ERR_CTP_BODY_TOO_LARGE) …
 * ```
 */
export const errorCodes = {
  ...Object.fromEntries(
    Object.entries(ownConstructors).map(([code, Own]) => [fastifyCode(code), createConstructor(fastifyCode(code), Own)]),
  ),
  [malformedJsonCode]: MalformedJsonError,
} as FastifyErrorCodes

/** Texts that clients and frameworks on top compare, where ours say more. */
const messages: Readonly<Record<string, string>> = { FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Unsupported Media Type' }

/**
 * Changes an error of the framework into the one that Fastify 5 has. It stays the same object, with its stack, and an instance of its
 * class in `alcove` too. Any other value is returned as it is.
 */
export function presentError(error: unknown): unknown {
  if (!(error instanceof Error) || Object.isFrozen(error)) return error
  const { code } = error as Partial<AlcoveError>
  if (typeof code !== 'string' || !code.startsWith('ALC_ERR_')) return error
  const known = fastifyCode(code)
  if (Object.getPrototypeOf(error) === ownConstructors[code]?.prototype)
    Object.setPrototypeOf(error, errorCodes[known as keyof FastifyErrorCodes].prototype)
  setCode(error, known)
  error.message = messages[known] ?? error.message
  // Fastify's name of the part since version 5.
  const failed = error as { validationContext?: string }
  if (failed.validationContext === 'query') failed.validationContext = 'querystring'
  return error
}
