/** What keeps a request from being answered, for the message of its timeout. */
import { type HookFunction, lifecycleHookNames } from '../../context/hooks.js'
import type { CompiledRoute } from '../../route/compiled-route.js'
import { kNextErrorHandler, kRoute, kWaiting } from '../../util/symbols.js'
import { hasBodyToParse } from '../read-body.js'
import { type InternalReply, ReplyState, replyState, type WaitingHooks } from '../state.js'

/** A sentence that names the hook or handler that a request waits for. */
export function describeWaiting(reply: InternalReply): string {
  const { request } = reply
  const { [kRoute]: route, [kWaiting]: waiting } = request
  if (waiting === 'validation') return 'It waits for an asynchronous validator.'
  if (waiting?.pending !== undefined) {
    const reason = waiting.hasReturnedPromise ? 'its promise is not settled' : 'it neither called done nor returned a promise'
    return `It waits for ${nameOfHook(waiting, waiting.pending, route)}: ${reason}.`
  }
  if (replyState(reply) >= ReplyState.Sending) return 'It waits for a payload: the promise that was sent is not settled.'
  if (request.body === undefined && !request.raw.complete && hasBodyToParse(request) === true)
    return 'It waits for the body of the request, which is not complete.'
  const who = reply[kNextErrorHandler] === undefined ? nameOf('the handler', route.info.handler) : 'an error handler'
  return `It waits for ${who}: it neither sent a reply, nor returned a payload or a promise that settled.`
}

function nameOfHook({ hooks }: WaitingHooks, pending: HookFunction, route: CompiledRoute): string {
  const stage = lifecycleHookNames.find((name) => route[name] === hooks)
  return nameOf(stage === undefined ? 'a hook' : `the ${stage} hook`, pending)
}

/** Functions that are bound to a server instance have its name before their own. */
function nameOf(what: string, { name }: { readonly name: string }): string {
  const own = name.replace(/^(?:bound )+/, '')
  return own === '' ? what : `${what} ${own}`
}
