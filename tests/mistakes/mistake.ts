/**
 * Deliberate mistakes, each made in a small application: when it shows (`boot` or `request`), and the place and the cure that its text
 * names. A mistake that does not show, or leaves a request without an answer, fails.
 */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { bootstrap, type BootstrappedServer, type Class, Plugin, type ServerOptions } from 'alcove'

/** What must be found in the text of a mistake. */
type Text = string | RegExp

/** How a mistake shows. */
export type Outcome = 'boot' | 'request' | 'silent' | 'hang'

interface Seen {
  readonly outcome: Outcome
  readonly text: string
}

export interface Mistake {
  /** The mistake, as a sentence. */
  readonly says: string
  readonly expected: 'boot' | 'request'
  readonly place: Text
  readonly cure: Text
  /** Why the text cannot name the place and the cure, if so. */
  readonly short?: string
  run(): Promise<Seen>
}

/** The class of an application, or the options of its plugin. The options are wrong on purpose, so they have no type. */
type Made = Class | object
/** The request that shows a mistake. */
interface Ask extends RequestInit {
  readonly path?: string
  /** Nothing but the end of its time can show that this handler or hook is not done. */
  readonly timesOut?: boolean
  readonly server?: ServerOptions
}

/** Values that the compiler refuses. */
export const loose = (value: unknown): never => value as never

/** A mistake that fails the boot, before the server listens. */
export function boot(says: string, place: Text, cure: Text, make: () => Made | Promise<Made>, server: ServerOptions = {}): Mistake {
  return { says, place, cure, expected: 'boot', run: () => inTime(() => seen(make, { server })) }
}

/** A mistake that only a request can show: by its answer, or by a warning or an error in the log. */
export function request(says: string, place: Text, cure: Text, make: () => Made, ask: Ask = {}): Mistake {
  return { says, place, cure, expected: 'request', run: () => inTime(() => seen(make, ask)) }
}

/** A wrong call, which throws. Of a call that does not throw, nothing shows. */
export function call(says: string, place: Text, cure: Text, expected: 'boot' | 'request', run: () => unknown): Mistake {
  return { says, place, cure, expected, run: () => inTime(() => thrown(run, expected)) }
}

/** Marks a mistake whose text cannot name place and cure. */
export function short(why: string, mistake: Mistake): Mistake {
  return { ...mistake, short: why }
}

async function thrown(run: () => unknown, outcome: Outcome): Promise<Seen> {
  try {
    await run()
  } catch (error) {
    return { outcome, text: textOf(error) }
  }
  return { outcome: 'silent', text: 'nothing was thrown' }
}

const HANG_MS = 3000

async function inTime(run: () => Promise<Seen>): Promise<Seen> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Seen>((resolve) => {
    timer = setTimeout(() => resolve({ outcome: 'hang', text: `nothing within ${HANG_MS} ms` }), HANG_MS)
  })
  const done = await Promise.race([run(), late])
  clearTimeout(timer)
  return done
}

/** Boots the application and sends the request. */
async function seen(make: () => Made | Promise<Made>, { path = '/', timesOut = false, server: options = {}, ...init }: Ask): Promise<Seen> {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  let server: BootstrappedServer
  try {
    const made = await make()
    server = await bootstrap(typeof made === 'function' ? (made as Class) : appOf(made), {
      logger: { level: 'warn', stream },
      forceCloseConnections: true,
      handlerTimeout: 2000,
      pluginTimeout: 500,
      ...options,
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
  } catch (error) {
    return { outcome: 'boot', text: textOf(error) }
  }
  try {
    const { port } = server.server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const body = await response.text()
    await server.close().catch((error: unknown) => lines.push(JSON.stringify({ msg: `close: ${textOf(error)}` })))
    const isTimeout = lines.some((line) => line.includes('ALC_ERR_HANDLER_TIMEOUT'))
    const outcome = isTimeout && !timesOut ? 'hang' : response.status < 400 && lines.length === 0 ? 'silent' : 'request'
    return { outcome, text: [`${response.status} ${body}`, ...lines.map(readable)].join('\n') }
  } finally {
    await server.close()
  }
}

function appOf(options: object): Class {
  class App {}
  Plugin(options)(App)
  return App
}

/** What Node prints of an error: its message and its own members. */
function textOf(error: unknown): string {
  const { message, context } = (error ?? {}) as { message?: string; context?: string }
  return context === undefined ? (message ?? String(error)) : `${message} [context: ${context}]`
}

/** A line of the log without what is the same in each. */
function readable(line: string): string {
  const { msg, err, req, context } = JSON.parse(line) as Record<string, any>
  const { message, context: place } = typeof err === 'string' ? { message: err } : ((err ?? {}) as { message?: string; context?: string })
  return [req === undefined ? '' : `${req.method} ${req.url}`, context ?? '', msg, message === msg ? '' : (message ?? ''), place ?? '']
    .filter((part) => part !== '')
    .join(' | ')
}

const includes = (text: string, wanted: Text): boolean => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text))

/** How many mistakes of a group show, and how. */
export interface Totals {
  boot: number
  request: number
  type: number
  /** Those whose text names place and cure. */
  whole: number
}

/** Makes the mistake. @throws AssertionError if it is silent, hangs, or shows without place or cure */
export async function prove(mistake: Mistake, totals: Totals): Promise<void> {
  const { outcome, text } = await mistake.run()
  assert.equal(outcome, mistake.expected, `${mistake.says}: ${text}`)
  totals[mistake.expected]++
  const missing = (['place', 'cure'] as const).filter((part) => !includes(text, mistake[part]))
  assert.deepEqual(missing, [], `the text lacks ${missing.map((part) => `the ${part} (${String(mistake[part])})`).join(', ')}: ${text}`)
  if (mistake.short === undefined) totals.whole++
}
