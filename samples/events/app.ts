/** How are server-sent events sent? As a typed stream; its source ends when the client disconnects, and when the server closes. */
import { setTimeout as wait } from 'node:timers/promises'
// #region stream
import { event, Injectable, Model, Plugin, Route, type RouteRequest, stream } from 'alcove'
// #endregion

export class Ticker {
  /** How many clients are listening. */
  listeners = 0

  async *ticks(every: number, after: number, signal: AbortSignal): AsyncGenerator<number> {
    this.listeners += 1
    try {
      for (let tick = after + 1; ; tick += 1) {
        yield tick
        await wait(every, undefined, { signal })
      }
    } finally {
      this.listeners -= 1
    }
  }
}

// #region stream
export class Tick extends Model({ $id: 'Tick', type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }) {}

const ticks = {
  headers: { type: 'object', properties: { 'last-event-id': { type: 'integer' } } },
  response: { 200: stream(Tick, { description: 'The ticks of a clock' }) },
} as const

@Injectable()
@Route({ method: 'GET', path: '/ticks' }, ticks)
class GetTicks {
  constructor(private readonly ticker: Ticker) {}

  async *handle({ headers, signal }: RouteRequest<typeof ticks>) {
    const last = headers['last-event-id'] ?? 0
    for await (const n of this.ticker.ticks(20, last, signal)) yield event({ n }, { id: String(n), event: 'tick' })
  }
}
// #endregion

@Plugin({ providers: [Ticker], routes: [GetTicks] })
export class App {}
