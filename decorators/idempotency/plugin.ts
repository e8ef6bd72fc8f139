/** `@Idempotent` for routes, and the plugin that provides their store. */
import type { Reply, Request, RouteSchema, Server } from '../../lib/index.js'
import { assertKnownOptions, containsStream } from '../../lib/internal.js'
import { Hook, kFirstHooks, kReplacedBy, kRouteProblem, type Next } from '../declare/hook.js'
import type { ClassAndMethodDecorator } from '../declare/metadata.js'
import { Plugin } from '../declare/plugin.js'
import { IdempotencyKeyInUse, IdempotencyKeyInvalid, IdempotencyKeyReused } from './errors.js'
import { MAX_KEY_LENGTH } from './fingerprint.js'
import { IdempotentRequest } from './idempotent-request.js'
import { type IdempotencyOptions, IdempotencySettings } from './settings.js'

/** Provides the store for the routes with {@link Idempotent} of the importing plugin and of the plugins below it: */
@Plugin({ shared: true, providers: [IdempotencySettings, IdempotentRequest] })
export class IdempotencyPlugin {
  /** Only a type, that of the options. With a real `setup`, the plugin would count as one that may add routes. */
  declare readonly setup: (server: Server, options: IdempotencyOptions) => void
}

const header = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_KEY_LENGTH,
  description: 'A text that is new for each operation, such as a UUID. A request that is sent again with it gets the reply of the first.',
} as const

class OptionalKey {
  static readonly inject = [IdempotentRequest] as const
  static readonly [kFirstHooks] = ['around', 'onSend'] as const
  // Two of them would reserve the key of a request twice.
  static readonly [kReplacedBy] = 'Idempotent'
  static readonly [kRouteProblem] = problemOf
  static readonly throws = [IdempotencyKeyInvalid, IdempotencyKeyInUse, IdempotencyKeyReused]
  static readonly requestHeaders: object = { type: 'object', properties: { 'idempotency-key': header } }
  static readonly responseHeaders = { '2xx': { 'idempotency-replayed': { const: 'true', description: 'The reply of an earlier request' } } }
  constructor(protected readonly current: IdempotentRequest) {}

  around(_request: Request, next: Next): Promise<unknown> {
    return this.current.run(next, false)
  }

  onSend(_request: Request, _reply: Reply, payload: unknown): void | Promise<void> {
    return this.current.take(payload)
  }
}

class RequiredKey extends OptionalKey {
  static override readonly requestHeaders = { type: 'object', required: ['idempotency-key'], properties: { 'idempotency-key': header } }
  override around(_request: Request, next: Next): Promise<unknown> {
    return this.current.run(next, true)
  }
}

function problemOf({ response }: RouteSchema): readonly [string, string] | undefined {
  const isStreamed = Object.values(response ?? {}).some((entry) => containsStream(entry))
  return isStreamed
    ? ['has a streamed reply, which @Idempotent cannot keep', 'Leave @Idempotent out, or answer with one payload.']
    : undefined
}

/**
 * Lets clients send a request of a route again without doing its work twice: a request with an `Idempotency-Key` that was sent before gets
 * the reply of the first request, with the header `Idempotency-Replayed: true`.
 * ```ts
 * @Controller('/orders')
 * class OrdersController {
 *   @Post({ status: 201 })
 *   @Idempotent({ required: true })
 *   create({ body }: RouteRequest) { … }
 * }
 * ```
 * Above a controller it holds for its routes. Above a method it replaces the one of the controller.
 *
 * The reply is 400 if the key is malformed, or required and missing, 409 while the first request is running, and 422 if the key was sent
 * before with a different request. Replies with a status of 400 or above are not stored. The routes need {@link IdempotencyPlugin}.
 *
 * The header is specified in draft-ietf-httpapi-idempotency-key-header.
 */
export function Idempotent(options: { readonly required?: boolean } = {}): ClassAndMethodDecorator {
  assertKnownOptions('@Idempotent(…)', options, ['required'])
  const hook = options.required ? RequiredKey : OptionalKey
  const decorators = [Hook('around', hook), Hook('onSend', hook)]
  // Each returns the class that it was given.
  return (...args: [any, any?, any?]): any => decorators.map((decorate): unknown => decorate(...args))[0]
}
