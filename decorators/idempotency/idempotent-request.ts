/**
 * Handles one request to a route with `@Idempotent`: reserves the request's key before the handler, stores the reply, and releases the key
 * if the request fails. The key of a handler that is not waited for any more is left to the end of its lease.
 *
 * A reply is stored as it is before the hooks `onSend`. A replayed reply passes through these hooks again, for example to be compressed for
 * its client.
 */
import { errorCodes, HttpError, type Logger, type Request, type RequestOutcome } from '../../lib/index.js'
import { completeWithoutClient, exchangeOf, isAbandoned, isAborted, isClientGone, randomUUID, routePlace } from '../../lib/internal.js'
import type { Next } from '../declare/hook.js'
import { LOGGER, REQUEST } from '../declare/tokens.js'
import { Injectable, kMissingCure } from '../declare/injectable.js'
import { kEndsLast } from '../run/scopes/lifetimes.js'
import { IdempotencyKeyInUse, IdempotencyKeyInvalid, IdempotencyKeyReused } from './errors.js'
import { digestOfKey, fingerprintOf, readKey } from './fingerprint.js'
import { IdempotencySettings } from './settings.js'
import type { ClaimResult, KeptReply, KeyClaim } from './store.js'

/**
 * The header of a replay. Among the kept headers, it says that the payload was a text: every store keeps headers, and a process with a
 * version of alcove that does not know this replaces the value when it replays the reply.
 */
const REPLAYED = 'idempotency-replayed'
const TEXT = 'text'

@Injectable({ scope: 'request' })
export class IdempotentRequest {
  static readonly endsBefore = 'reply'
  // The reply is kept when all transactions have been committed, and a key is given back when they have been rolled back.
  static readonly [kEndsLast] = true
  static readonly [kMissingCure] = 'Import use(IdempotencyPlugin, { store, caller }) there or in an ancestor'
  static readonly inject = [IdempotencySettings, LOGGER, REQUEST] as const
  /** The reservation of the request's key; `undefined` without a key, for a replayed reply, and when the request has ended. */
  #claim: KeyClaim | undefined
  #reply: KeptReply | undefined

  constructor(
    private readonly settings: IdempotencySettings,
    private readonly log: Logger,
    private readonly request: Request,
  ) {}

  /**
   * Runs the handler, or sends the stored reply of an earlier request with the same key.
   * @throws IdempotencyKeyInvalid, IdempotencyKeyInUse, IdempotencyKeyReused
   */
  async run(next: Next, isRequired: boolean): Promise<unknown> {
    const { request } = this
    const key = readKey(request.raw.headers['idempotency-key'])
    if (key === undefined) {
      if (isRequired) throw new IdempotencyKeyInvalid({}, 'This request needs the header Idempotency-Key')
      return next()
    }
    const place = routePlace(exchangeOf(request))
    const caller = await this.settings.callerOf(request, place)
    const claim = {
      key: digestOfKey(caller, key),
      fingerprint: fingerprintOf(request, place),
      owner: randomUUID(),
      lease: this.settings.lease,
    }
    const result = await this.settings.store.claim(claim)
    if (result.state !== 'claimed') return replay(request, result, claim)
    this.#claim = claim
    return this.#complete(next)
  }

  async #complete(next: Next): Promise<unknown> {
    const { request } = this
    // A client that has left will ask for the reply again.
    completeWithoutClient(request)
    const result = await next()
    const { reply, route } = exchangeOf(request)
    // Nothing is sent to a client that has left, unless it is sent here. Node does not call a request aborted whose body was read.
    const isGone = isAborted(request.raw) || isClientGone(reply.raw)
    if (result === undefined && route.answersUndefined && !reply.sent && isGone) reply.send()
    return result
  }

  /**
   * Stores the reply of the handler, unless its status is 400 or above or the request has no key. @throws ALC_ERR_IDEMPOTENCY if the reply
   * cannot be stored
   */
  take(payload: unknown): void | Promise<void> {
    const exchange = exchangeOf(this.request)
    const { reply } = exchange
    this.#reply = undefined
    if (this.#claim === undefined || reply.statusCode >= 400) return
    const { headers, maxReplyBytes, store, ttl } = this.settings
    const place = routePlace(exchange)
    const body = bytesOf(payload, place)
    if (body !== undefined && body.length > maxReplyBytes)
      throw new errorCodes.ALC_ERR_IDEMPOTENCY(
        place,
        `cannot keep its reply: it has ${body.length} bytes, maxReplyBytes is ${maxReplyBytes}`,
      )
    const kept = Object.fromEntries(
      headers.flatMap((name) => {
        const value = reply.getHeader(name) as string | number | readonly string[] | undefined
        return value === undefined ? [] : [[name, Array.isArray(value) ? value.map(String) : String(value)]]
      }),
    ) as Record<string, string | readonly string[]>
    if (typeof payload === 'string') kept[REPLAYED] = TEXT
    this.#reply = { status: reply.statusCode, headers: kept, body }
    if (store.isTransactional !== true) return
    const { key } = this.#claim
    return store.complete(this.#claim, this.#reply, ttl).then((isOwner) => {
      if (!isOwner) throw new HttpError(503, `The lease of the idempotency key ${key} is over: another request runs with it`)
    })
  }

  async onRequestEnd({ kind }: RequestOutcome): Promise<void> {
    const claim = this.#claim
    if (claim === undefined) return
    // A handler that is still at work may reply later: that reply is not kept.
    this.#claim = undefined
    const { store, ttl } = this.settings
    if (kind !== 'completed' || this.#reply === undefined) {
      // Another request with the key would do the work of this handler beside it.
      return isAbandoned(exchangeOf(this.request)) ? undefined : store.release(claim)
    }
    if (store.isTransactional === true) return
    // What the request did cannot be undone any more, so its client gets the reply in any case.
    try {
      if (!(await store.complete(claim, this.#reply, ttl)))
        this.log.error('a reply was not kept: the lease of its idempotency key was over')
    } catch (error) {
      this.log.error({ err: error }, 'a reply was not kept: the store of idempotency keys failed')
    }
  }
}

/** Sends the stored reply of an earlier request. @throws IdempotencyKeyReused, IdempotencyKeyInUse */
function replay(request: Request, result: Exclude<ClaimResult, { state: 'claimed' }>, { fingerprint }: KeyClaim): unknown {
  if (result.fingerprint !== fingerprint) throw new IdempotencyKeyReused()
  if (result.state === 'running') throw new IdempotencyKeyInUse()
  const { status, headers, body } = result.reply
  const { reply } = exchangeOf(request)
  for (const [name, value] of Object.entries(headers)) reply.header(name, value)
  reply.code(status).header(REPLAYED, 'true')
  if (body === undefined) reply.send()
  else {
    const bytes = Buffer.from(body)
    const payload = headers[REPLAYED] === TEXT ? bytes.toString() : bytes
    // Neither a serializer that a hook has set nor the preSerialization hooks may get a payload that is serialized already.
    reply.serializer(() => payload).send(null)
  }
  return undefined
}

/** Returns the bytes of a payload; `undefined` if there is none. @throws ALC_ERR_IDEMPOTENCY for a stream or a `Response` */
function bytesOf(payload: unknown, place: string): Buffer | undefined {
  if (payload == null) return undefined
  if (typeof payload === 'string') return Buffer.from(payload)
  if (ArrayBuffer.isView(payload)) return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  throw new errorCodes.ALC_ERR_IDEMPOTENCY(place, 'cannot keep its reply: it is a stream or a Response. Answer with one payload')
}
