/** How are server-sent events sent? As a stream; its source ends when the client disconnects. */
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { Injectable, Plugin, type Reply, type Request, Route } from 'alcove'

export class Ticker {
  /** How many clients are listening. */
  listeners = 0

  async *ticks(every: number, signal: AbortSignal): AsyncGenerator<number> {
    this.listeners += 1
    try {
      for (let tick = 1; ; tick += 1) {
        yield tick
        await wait(every, undefined, { signal })
      }
    } finally {
      this.listeners -= 1
    }
  }
}

@Injectable()
@Route({ method: 'GET', path: '/ticks' })
class GetTicks {
  constructor(private readonly ticker: Ticker) {}

  handle(request: Request, reply: Reply) {
    reply.type('text/event-stream').header('cache-control', 'no-store')
    return Readable.from(this.#events(request.signal))
  }

  async *#events(signal: AbortSignal): AsyncGenerator<string> {
    for await (const tick of this.ticker.ticks(20, signal)) yield `event: tick\ndata: ${tick}\n\n`
  }
}

@Plugin({ providers: [Ticker], routes: [GetTicks] })
export class App {}
