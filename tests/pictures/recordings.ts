/** Runs small applications and records what happens in them, for the pictures. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  bootstrap,
  check,
  createServer,
  explain,
  Get,
  Controller,
  Injectable,
  Plugin,
  Route,
  type Server,
  WiringError,
  type Fault,
} from 'alcove'
import { lifecycleHookNames } from '../../lib/context/hooks.js'
import { App as Faulty } from '../fixtures/faulty-wiring.js'

/** Records the stages of a request that succeeds, one whose handler throws, and one whose client leaves, through a listening server. */
export async function recordRequests(): Promise<{ completed: readonly string[]; failed: readonly string[]; left: readonly string[] }> {
  let stages: string[] = []
  let onStage = (_stage: string): void => {}
  const server = recordingServer((stage) => {
    stages.push(stage)
    onStage(stage)
  })
  await server.listen({ port: 0 })
  const { port } = server.server.address() as AddressInfo
  /** Sends a request, and cuts it off at a stage if one is given. */
  const run = async (path: string, cutAt?: string): Promise<readonly string[]> => {
    stages = []
    const sent = request({ port, path, method: 'POST', headers: { 'content-type': 'application/json' } }, (response) => response.resume())
    sent.on('error', () => {})
    const ended = new Promise<void>((resolve) => {
      onStage = (stage) => {
        if (stage === cutAt) sent.destroy()
        // A handler that has begun goes on when the client has left, up to onSend.
        if (stage === 'onResponse' || (stages.includes('onRequestAbort') && stages.includes('onSend'))) resolve()
      }
    })
    sent.end('{"name":"Ada"}')
    await ended
    return [...stages]
  }
  try {
    return { completed: await run('/'), failed: await run('/fails'), left: await run('/waits', 'handler') }
  } finally {
    await server.close()
  }
}

function recordingServer(record: (stage: string) => void): Server {
  const server = createServer({ logger: false })
  for (const name of lifecycleHookNames.filter((each) => each !== 'onTimeout'))
    server.addHook(name as 'onRequest', (...given: unknown[]) => {
      record(name)
      const done = given.at(-1) as () => void
      done()
    })
  server.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, body: string) => {
    record('body')
    return JSON.parse(body) as unknown
  })
  server.setValidatorCompiler(() => () => {
    record('validation')
    return true
  })
  server.setSerializerCompiler(() => (payload: unknown) => {
    record('serialization')
    return JSON.stringify(payload)
  })
  server.setErrorHandler((error, _request, reply) => {
    record('error handler')
    reply.code(500).type('text/plain').send(error.message)
  })
  const schema = { body: { type: 'object' }, response: { 200: { type: 'object' } } }
  const handlers = {
    '/': async () => ({ ok: true }),
    '/fails': async () => {
      throw new Error('failed')
    },
    '/waits': async ({ signal }: { signal: AbortSignal }) => once(signal, 'abort'),
  }
  for (const [path, handler] of Object.entries(handlers))
    server.post(path, { schema }, async (given) => {
      record('handler')
      return handler(given)
    })
  return server
}

/** The steps of a boot, of a server that listens and of a close, each with the class that takes it. */
export interface LifeRecording {
  readonly boot: readonly string[]
  readonly listening: readonly string[]
  readonly close: readonly string[]
}

export async function recordLife(): Promise<LifeRecording> {
  const steps: string[] = []
  let isServing = (): void => {}
  let isPreClosed = (): void => {}
  const serving = new Promise<void>((resolve) => (isServing = resolve))
  const preClosed = new Promise<void>((resolve) => (isPreClosed = resolve))
  class Database {
    constructor() {
      steps.push('new Database()')
    }
    onReady(): void {
      steps.push('Database.onReady()')
    }
    onListen(): void {
      steps.push('Database.onListen()')
    }
    onClose(): void {
      steps.push('Database.onClose()')
    }
  }
  class Users {
    static readonly inject = [Database] as const
    constructor(readonly database: Database) {
      steps.push('new Users(database)')
    }
    onReady(): void {
      steps.push('Users.onReady()')
    }
    [Symbol.dispose](): void {
      steps.push('Users[Symbol.dispose]()')
    }
  }
  @Controller('/users')
  class UsersController {
    static readonly inject = [Users] as const
    constructor(readonly users: Users) {
      steps.push('new UsersController(users)')
    }
    @Get()
    async list(): Promise<object> {
      isServing()
      await preClosed
      return []
    }
  }
  @Plugin({ providers: [Users], routes: [UsersController] })
  class UsersPlugin {
    setup(): void {
      steps.push('UsersPlugin.setup()')
    }
  }
  @Plugin({ providers: [Database], imports: [UsersPlugin] })
  class App {
    setup(instance: Server): void {
      steps.push('App.setup()')
      instance.addHook('onRegister', () => void steps.push('hook onRegister'))
      // A GET route gets a HEAD route, which is declared too.
      instance.addHook('onRoute', ({ method }) => void (method === 'GET' && steps.push('hook onRoute')))
      for (const name of ['onReady', 'onListen', 'preClose', 'onClose'] as const)
        instance.addHook(name as 'onReady', async () => void steps.push(`hook ${name}`))
      instance.addHook('preClose', async () => isPreClosed())
      instance.addHook('onResponse', async () => void steps.push('open requests end'))
    }
  }
  const take = (): string[] => steps.splice(0)
  const server = await bootstrap(App, { logger: false })
  const boot = take()
  await server.listen({ port: 0 })
  const reply = fetch(`http://localhost:${(server.server.address() as AddressInfo).port}/users`)
  await serving
  while (!steps.includes('hook onListen')) await new Promise((resolve) => setImmediate(resolve))
  const listening = take()
  await Promise.all([server.close(), reply.then((response) => response.text())])
  return { boot, listening, close: take() }
}

/** One instance: the points between which it lives. */
export interface Life {
  readonly name: string
  readonly scope: string
  readonly from: string
  readonly to: string
}

/** The points of {@link recordLifetimes}, in order. */
export const points = ['bootstrap', 'A begins', 'B begins', 'A ends', 'B ends', 'close'] as const

/** Records the instances of a context-lived, a request-scoped and a transient provider while two requests overlap. */
export async function recordLifetimes(): Promise<readonly Life[]> {
  const lives: Omit<Life, 'scope'>[] = []
  let now: string = points[0]
  class Recorded {
    readonly #life: { to: string }
    constructor() {
      const life = { name: this.constructor.name, from: now, to: '' }
      this.#life = life
      lives.push(life)
    }
    [Symbol.dispose](): void {
      this.#life.to = now
    }
  }
  class Clock extends Recorded {}
  @Injectable({ scope: 'transient' })
  class Ids extends Recorded {}
  @Injectable({ scope: 'request' })
  class Cart extends Recorded {
    static readonly inject = [Clock, Ids] as const
    constructor(
      readonly clock: Clock,
      readonly ids: Ids,
    ) {
      super()
    }
  }
  const waiting = new Map<string, () => void>()
  @Route({ method: 'GET', path: '/:name' })
  class Show {
    static readonly inject = [Cart] as const
    constructor(readonly cart: Cart) {}
    async handle({ params }: { params: { name: string } }): Promise<object> {
      await new Promise<void>((resolve) => waiting.set(params.name, resolve))
      return {}
    }
  }
  class Report {
    static readonly inject = [Ids] as const
    constructor(readonly ids: Ids) {}
  }
  @Plugin({ providers: [Clock, Ids, Cart, Report], routes: [Show] })
  class App {}

  const server = await bootstrap(App, { logger: false })
  const replies = new Map<string, Promise<unknown>>()
  const begin = async (name: string): Promise<void> => {
    now = `${name} begins`
    const reply = (async () => server.inject(`/${name}`))()
    replies.set(name, reply)
    while (!waiting.has(name)) await new Promise((resolve) => setImmediate(resolve))
  }
  const end = async (name: string): Promise<void> => {
    now = `${name} ends`
    waiting.get(name)!()
    await replies.get(name)
    // Its instances are disposed of a little after its reply.
    while (lives.some(({ from, to }) => from === `${name} begins` && to === '')) await new Promise((resolve) => setImmediate(resolve))
  }
  await begin('A')
  await begin('B')
  await end('A')
  await end('B')
  const { providers } = explain(server).route('/:name').visible
  now = 'close'
  await server.close()
  return lives.map((life) => ({ ...life, scope: providers.find(({ name }) => name === life.name)!.scope }))
}

/** The fault that the picture of an error explains. */
export function recordFault(): Fault {
  try {
    check(Faulty)
  } catch (error) {
    if (error instanceof WiringError) return error.faults.find(({ code }) => code === 'PROVIDER_NOT_VISIBLE')!
    throw error
  }
  throw new Error('the wiring has no fault')
}
