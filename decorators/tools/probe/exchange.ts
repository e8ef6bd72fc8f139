/** Sends the requests of a probe, and collects the outcome of each: the reply, the errors, and whether the handler was reached. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { InjectOptions, InjectResponse, Logger } from '../../../lib/index.js'
import { createErrorLogger } from '../error-printer.js'
import type { ReplyFaults } from '../reply-check.js'
import { type Draft, toInject } from './drafts.js'
import type { Target } from './targets.js'

/** The outcome of a request: its reply, its errors, and the time until the reply. */
export interface Outcome {
  /** The status of the reply; `undefined` if there was none. */
  readonly status: number | undefined
  readonly body: string
  readonly type: string
  /** The time from sending the request to the reply, in ms. */
  readonly time: number
  /** Whether no reply came within the timeout. */
  readonly isHanging: boolean
  /** Whether a route's handler was called. */
  readonly isReached: boolean
  /** The error that describes how the reply differs from the route's description; `undefined` if it does not differ. */
  readonly fault: Error | undefined
  /** The errors that the handler threw or the server logged. */
  readonly errors: readonly unknown[]
}

/** A server under test by a probe. */
export interface Subject {
  readonly inject: (request: InjectOptions) => Promise<InjectResponse>
  /** The faults of replies that the test server has found; `undefined` if the server does not compare replies. */
  readonly faults: ReplyFaults | undefined
  /** The headers with the credentials that the guards demand. */
  readonly credentials: Readonly<Record<string, string>>
  /** The errors that the server logs; `undefined` if the options of the test server contain a logger. */
  readonly log: ErrorLog | undefined
}

interface Trace {
  readonly request: { readonly method: string }
  readonly route: { readonly url: string | undefined }
  readonly reply: { readonly raw: object }
  readonly error?: unknown
}

/** A logger that collects errors instead of printing them. */
export class ErrorLog {
  #errors: unknown[] = []
  readonly logger: Logger = createErrorLogger(({ err }) => {
    if (err != null) this.#errors.push(err)
  })

  /** Returns the errors that were logged since the last call. */
  take(): unknown[] {
    const errors = this.#errors
    this.#errors = []
    return errors
  }
}

/** Records the called handlers and the errors that they threw, by the response that each handler had to send. */
export class HandlerWatch {
  readonly #traces = new WeakMap<object, Trace>()
  /** The routes whose handlers were called since the last call of `begin`. */
  readonly #called = new Set<string>()
  readonly #note = (message: unknown): void => {
    const trace = message as Trace
    this.#traces.set(trace.reply.raw, trace)
    this.#called.add(`${trace.request.method} ${trace.route.url}`)
  }

  constructor() {
    subscribe('tracing:alcove.request.handler:start', this.#note)
  }

  stop(): void {
    unsubscribe('tracing:alcove.request.handler:start', this.#note)
  }

  /** Forgets which routes were called. */
  begin(): void {
    this.#called.clear()
  }

  /** Whether the handler of a route was called since `begin`. Says it also of a request that gets no response. */
  hasCalled({ method, route }: Target): boolean {
    return this.#called.has(`${method} ${route.url}`)
  }

  /** Returns the record of the handler that had to send a response; `undefined` if no handler was called. */
  traceOf(response: object): Trace | undefined {
    return this.#traces.get(response)
  }
}

export class Exchange {
  readonly #subject: Subject
  readonly #watch: HandlerWatch
  readonly #timeout: number
  /** The number of requests that were sent. */
  sent = 0

  /** @param timeout the time after which a request counts as hanging, in ms */
  constructor(subject: Subject, watch: HandlerWatch, timeout: number) {
    this.#subject = subject
    this.#watch = watch
    this.#timeout = timeout
  }

  /** Sends a generated request, with credentials unless it is anonymous. */
  send(target: Target, draft: Draft): Promise<Outcome> {
    return this.sendOptions(requestOf(target, draft, this.#subject.credentials), target)
  }

  /** Sends a request with the options of `inject`. If the reply of the route is a stream, the reply counts as received once its headers have arrived. */
  async sendOptions(options: InjectOptions, target: Target): Promise<Outcome> {
    const { isStream } = target
    this.sent++
    this.#watch.begin()
    this.#subject.log?.take()
    const aborter = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const started = performance.now()
    // The timer keeps the process alive: without a socket, nothing else might, and the process would end without a word.
    const timeout = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), this.#timeout)))
    try {
      const sending = this.#subject.inject({ ...options, signal: aborter.signal, ...(isStream && { payloadAsStream: true }) })
      const response = await Promise.race([sending, timeout])
      const time = performance.now() - started
      if (response === undefined) {
        sending.catch(() => {})
        aborter.abort()
        return { ...none, time, isHanging: true, isReached: this.#watch.hasCalled(target) }
      }
      // A stream need not end by itself.
      if (isStream) aborter.abort()
      return this.#outcomeOf(response, time, isStream)
    } catch (error) {
      // The request could not be made, or was cut off: no reply can be judged.
      return { ...none, time: performance.now() - started, isReached: this.#watch.hasCalled(target), errors: [error] }
    } finally {
      clearTimeout(timer)
    }
  }

  #outcomeOf(response: InjectResponse, time: number, isStream: boolean): Outcome {
    const { res } = response.raw
    const trace = this.#watch.traceOf(res)
    const thrown = trace === undefined || trace.error === undefined ? [] : [trace.error]
    return {
      status: response.statusCode,
      body: isStream ? '' : response.payload,
      type: String(response.headers['content-type'] ?? ''),
      time,
      isHanging: false,
      isReached: trace !== undefined,
      fault: this.#subject.faults?.takeFault(res, isStream ? undefined : response.rawPayload),
      errors: [...thrown, ...(this.#subject.log?.take() ?? [])],
    }
  }
}

const none: Outcome = { status: undefined, body: '', type: '', time: 0, isHanging: false, isReached: false, fault: undefined, errors: [] }

/** Returns the options of `inject` for a generated request, with the credentials unless the request is anonymous. */
export function requestOf(target: Target, draft: Draft, credentials: Subject['credentials']): InjectOptions {
  const options = toInject(target, draft)
  if (draft.isAnonymous === true) return options
  const headers = { ...credentials, ...options.headers } as Record<string, string>
  const cookies = [credentials['cookie'], options.headers?.['cookie']].filter((each) => each !== undefined)
  if (cookies.length > 1) headers['cookie'] = cookies.join('; ')
  return Object.keys(headers).length === 0 ? options : { ...options, headers }
}
