/** Describes, for the message of a timeout, which hook, body parser, validator or handler keeps a request from being answered. */
import { type HookFunction, lifecycleHookNames, writtenName } from '../../context/hooks.js'
import type { CompiledRoute } from '../../route/compiled-route.js'
import { type Exchange, ReplyState, replyState, type WaitingHooks } from '../exchange.js'
import { kRunsWithin } from '../../util/symbols.js'
import { hasBodyToParse } from '../read-body.js'

/** Returns a sentence that names the hook, the handler or another function that a request waits for. */
export function describeWaiting(exchange: Exchange): string {
  const { request, route, waitsFor: waiting } = exchange
  if (waiting === 'validation') return 'It waits for an asynchronous validator.'
  if (typeof waiting === 'object' && waiting.pending !== undefined) {
    const reason = waiting.hasReturnedPromise ? 'its promise is not settled' : 'it neither called done nor returned a promise'
    return `It waits for ${nameOfHook(waiting, waiting.pending, route)}: ${reason}.`
  }
  if (replyState(exchange) >= ReplyState.Sending) return 'It waits for a payload: the promise that was sent is not settled.'
  // A request of `inject` does not say whether its body is complete.
  const raw: Partial<typeof request.raw> = request.raw
  if (request.body === undefined && raw.complete === false && hasBodyToParse(exchange) === true)
    return 'It waits for the body of the request, which is not complete.'
  if (waiting === 'parser' && exchange.nextErrorHandler === undefined)
    return `It waits for the parser of ${request.mediaType ?? 'its body'}: it neither called done nor returned a promise that settled.`
  const who = exchange.nextErrorHandler === undefined ? describeHandler(route.info.handler) : 'an error handler'
  return `It waits for ${who}: it neither sent a reply, nor returned a payload or a promise that settled.`
}

function nameOfHook({ hooks }: WaitingHooks, pending: HookFunction, route: CompiledRoute): string {
  const stage = lifecycleHookNames.find((name) => route[name] === hooks)
  return describeFunction(`the ${stage} hook`, pending)
}

function describeHandler(handler: CompiledRoute['info']['handler'] & { readonly [kRunsWithin]?: readonly string[] }): string {
  const within = handler[kRunsWithin] ?? []
  return [describeFunction('the handler', handler), ...within].join(', or for ')
}

/** Returns a description of a function together with its name: `the handler list`. */
function describeFunction(what: string, named: { readonly name: string }): string {
  const name = writtenName(named)
  return name === '' ? what : `${what} ${name}`
}
