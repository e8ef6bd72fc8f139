/** Finds guards that reply only after the body of a request has been read. */
import { Readable } from 'node:stream'
import type { DraftMaker } from './make-drafts.js'
import { toInject, type Draft } from './drafts.js'
import type { Exchange } from './exchange.js'
import type { Verdict } from './judge.js'
import type { Target } from './targets.js'

const ATTEMPTS = 3
const CHUNK = Buffer.alloc(16_384, ' ')

/** Whether a status (401 or 403) is the refusal of a guard, provided that the handler was not reached. */
function isRefusal(status: number | undefined): boolean {
  return status === 401 || status === 403
}

/**
 * Finds a guard that runs after the body is read, by a request without credentials whose body never ends: only a guard that runs earlier
 * can reply with 401 or 403. A route without a guard is skipped. A 401 from the handler, such as that of a login, does not count.
 */
export async function findLateGuard(
  target: Target,
  maker: DraftMaker,
  exchange: Exchange,
): Promise<{ draft: Draft; verdict: Verdict } | undefined> {
  if (!target.readsBody) return undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const draft: Draft = { ...maker.valid(true), isAnonymous: true }
    const { status, isReached } = await exchange.send(target, draft)
    if (!isRefusal(status) || isReached) continue
    const { payload: _payload, ...request } = toInject(target, draft)
    const type = draft.body?.type ?? 'application/json'
    const endless = new Readable({ read: () => void endless.push(CHUNK) })
    const headers = { ...request.headers, 'content-type': request.headers?.['content-type'] ?? type }
    const outcome = await exchange.sendOptions({ ...request, headers, payload: endless }, target)
    endless.destroy()
    if (isRefusal(outcome.status)) return undefined
    const answer = outcome.status === undefined ? 'gets no answer' : `is answered with ${outcome.status}`
    const text = `reads the body before its guard answers ${status}: a request without credentials whose body never ends ${answer}. ${cure}`
    return { draft, verdict: { kind: 'guard', key: 'guard', text, status: status! } }
  }
  return undefined
}

const cure = 'Let the guard run in onRequest, not in preValidation or preHandler.'
