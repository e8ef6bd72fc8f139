/**
 * Random faults against request scopes: clients leave at any time, time limits pass, guards refuse, and everything that uses a transaction of the
 * request looks whether it is still open.
 */
import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  bootstrap,
  Controller,
  Get,
  Hook,
  HttpError,
  Injectable,
  Plugin,
  type Reply,
  type Request,
  Schema,
  type Server,
  stream,
} from 'alcove'

/** What was seen of all transactions. */
export interface ScopeCounts {
  made: number
  ended: number
  uses: number
  usesAfterEnd: number
}

const counts: ScopeCounts = { made: 0, ended: 0, uses: 0, usesAfterEnd: 0 }

@Injectable({ scope: 'request' })
class Tx {
  isEnded = false
  constructor() {
    counts.made++
  }
  use(): void {
    counts.uses++
    if (this.isEnded) counts.usesAfterEnd++
  }
  async onClose(): Promise<void> {
    this.isEnded = true
    counts.ended++
  }
}

const random = (most: number): number => Math.floor(Math.random() * most)
const pause = (): Promise<void> => sleep(random(12))
const later = (run: () => void): void => void setTimeout(run, random(12))

/** In promise style or callback style, at random. It refuses some requests. */
class Guard {
  static readonly inject = [Tx] as const
  constructor(private readonly tx: Tx) {}
  preHandler(_request: Request, _reply: Reply, done: (error?: Error) => void): void {
    later(() => {
      this.tx.use()
      done(random(20) === 0 ? new HttpError(403, 'no') : undefined)
    })
  }
}

class Observer {
  static readonly inject = [Tx] as const
  constructor(private readonly tx: Tx) {}
  async onRequest(): Promise<void> {
    if (random(2) === 0) await pause()
    this.tx.use()
  }
  onSend(_request: Request, _reply: Reply, _payload: unknown, done: () => void): void {
    later(() => {
      this.tx.use()
      done()
    })
  }
  async onResponse(): Promise<void> {
    await pause()
    this.tx.use()
  }
  onRequestAbort(_request: Request, done: () => void): void {
    later(() => {
      this.tx.use()
      done()
    })
  }
}

@Controller()
@Hook('preHandler', Guard)
class Routes {
  static readonly inject = [Tx] as const
  constructor(private readonly tx: Tx) {}

  @Get('/promise')
  async promise() {
    for (let count = random(3); count >= 0; count--) {
      await pause()
      this.tx.use()
    }
    if (random(10) === 0) throw new Error('failed')
    return 'text'
  }

  @Get('/callback')
  callback(_request: Request, reply: Reply): void {
    later(() => {
      this.tx.use()
      reply.send('text')
    })
  }

  @Get('/reply')
  async returnsReply(_request: Request, reply: Reply) {
    later(() => {
      this.tx.use()
      reply.send('text')
    })
    return reply
  }

  @Get('/stream')
  stream() {
    const { tx } = this
    let left = random(4)
    return new Readable({
      read() {
        later(() => {
          // What a source does for a read that is under way when it is destroyed is not seen from outside: its `destroy` has to wait for it.
          if (this.destroyed) return
          tx.use()
          this.push(left-- > 0 ? 'row' : null)
        })
      },
      destroy(error, done) {
        later(() => {
          tx.use()
          done(error)
        })
      },
    })
  }

  @Get('/web')
  web() {
    const { tx } = this
    let left = random(4)
    let isCancelled = false
    return new ReadableStream({
      async pull(controller) {
        await pause()
        if (isCancelled) return
        tx.use()
        if (left-- > 0) controller.enqueue(Buffer.from('row'))
        else controller.close()
      },
      async cancel() {
        isCancelled = true
        await pause()
        tx.use()
      },
    })
  }

  @Get('/items')
  @Schema({ response: { 200: stream({ type: 'integer' }) } })
  async *items() {
    try {
      for (let count = random(4); count >= 0; count--) {
        await pause()
        this.tx.use()
        yield count
      }
    } finally {
      await pause()
      this.tx.use()
    }
  }
}

@Plugin({
  providers: [Tx],
  hooks: { onRequest: Observer, onSend: Observer, onResponse: Observer, onRequestAbort: Observer },
  routes: [Routes],
})
class App {}

const paths = ['/promise', '/callback', '/reply', '/stream', '/web', '/items'] as const

/** Sends a request, and leaves at a random time in half of the cases. */
async function visit(origin: string): Promise<void> {
  const request = httpRequest(origin + paths[random(paths.length)]!, { agent: false }, (response) =>
    response.on('error', () => {}).resume(),
  )
  request.on('error', () => {})
  request.end()
  const closed = new Promise((resolve) => request.once('close', resolve))
  if (random(2) === 0) setTimeout(() => request.destroy(), random(40))
  await closed
}

/** Runs so many requests, 64 at a time, and closes the server while some of the last are at work. */
export async function runScopes(count: number): Promise<ScopeCounts> {
  const server: Server = await bootstrap(App, { handlerTimeout: 25 })
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  let left = count
  let closed: Promise<unknown> | undefined
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      if (left === 32) closed = server.close()
      await visit(origin)
    }
  }
  await Promise.all(Array.from({ length: 64 }, work))
  await closed
  return counts
}
