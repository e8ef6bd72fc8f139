/** What a behaviour is, and the means to state one: requests to an entry, and what their replies must be. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

/** An entry with a server of its own that serves the application. */
export interface Running {
  readonly origin: string
  send(request: Request): Promise<Response>
  /** Closes the server, as the runtime does when it is asked to end. Resolves when it is closed. */
  close(): Promise<void>
}

/** A way for requests to reach the application. */
export interface Entry {
  readonly name: string
  start(): Promise<Running>
}

/** One behaviour of an application: a sentence, and the check of it. */
export interface Behaviour {
  readonly title: string
  /** Whether it needs a server of its own, which it closes. */
  readonly closes?: boolean
  readonly check: (client: Client) => Promise<void>
}

type Init = RequestInit & { readonly host?: string; readonly json?: unknown }

let cases = 0

/** Sends requests to an entry. */
export class Client {
  readonly running: Running

  constructor(running: Running) {
    this.running = running
  }

  /** Sends a request. @param target method and path: `POST /users`; GET by default */
  send(target: string, { json, ...init }: Init = {}): Promise<Response> {
    const [, method = 'GET', path] = /^(?:([A-Z]+) )?(.*)$/.exec(target)!
    const headers = new Headers(init.headers)
    if (json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json')
    const body = json === undefined ? init.body : JSON.stringify(json)
    return this.running.send(
      new Request(this.running.origin + path, { redirect: 'manual', ...init, method, headers, ...(body != null && { body }) }),
    )
  }

  /** Makes a name for a request, whose events the application notes. */
  nameCase(): string {
    return `case-${process.pid}-${++cases}`
  }

  /** Waits until the events of a request contain this one, and returns all of them. */
  async eventsOf(name: string, last: string): Promise<string[]> {
    let events: string[] = []
    for (let attempt = 0; attempt < 400; attempt++) {
      events = (await (await this.send(`/events/${name}`)).json()) as string[]
      if (events.includes(last)) return events
      await wait(10)
    }
    assert.fail(`the event '${last}' did not come, only: ${events.join(', ')}`)
  }
}

/** What a reply must be. `body`: the text; `json`: the value; `has`: members of the value; `headers`: `null` for one that must be missing. */
interface Expected {
  readonly status?: number
  readonly body?: string
  readonly json?: unknown
  readonly has?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string | RegExp | null>>
}

async function hold(response: Response, { status = 200, body, json, has, headers = {} }: Expected): Promise<void> {
  const text = await response.text()
  assert.equal(response.status, status, text)
  for (const [name, value] of Object.entries(headers)) {
    const found = response.headers.get(name)
    if (value instanceof RegExp) assert.match(found ?? '', value)
    else assert.equal(found, value, name)
  }
  if (body !== undefined) assert.equal(text, body)
  if (json !== undefined) assert.deepEqual(JSON.parse(text), json)
  if (has !== undefined) {
    const value = JSON.parse(text) as Record<string, unknown>
    assert.deepEqual(Object.fromEntries(Object.keys(has).map((name) => [name, value[name]])), has)
  }
}

/**
 * A behaviour of one request: `answers('…', 'GET /json', { json: { hello: 'world' } })`.
 * @param init what is sent; a function for a body that can be read only once
 */
export function answers(title: string, target: string, expected: Expected, init?: Init | (() => Init)): Behaviour {
  return { title, check: async (client) => hold(await client.send(target, typeof init === 'function' ? init() : init), expected) }
}

/** A behaviour of one request, whose events the application notes. @param events in their order, up to the last one */
export function happens(title: string, target: string, events: readonly string[], init: Init = {}): Behaviour {
  return {
    title,
    async check(client) {
      const name = client.nameCase()
      const response = await client.send(target, { ...init, headers: { ...(init.headers as object), 'x-case': name } })
      await response.text()
      assert.deepEqual(await client.eventsOf(name, events.at(-1)!), events)
    },
  }
}
