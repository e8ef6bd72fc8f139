/** The application that every entry serves for the suite of behaviours. It needs nothing of Node, so that it runs on each runtime. */
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import {
  type Ambient,
  ambient,
  bootstrap,
  Controller,
  domainEvent,
  type Emitter,
  Get,
  HttpError,
  Injectable,
  Job,
  type JobRun,
  type Logger,
  Plugin,
  Post,
  type Reply,
  REQUEST,
  type Request,
  type RequestOutcome,
  type RouteRequest,
  type Server,
  type ServerOptions,
  stream,
  use,
} from 'alcove'
import { note, noteOf } from './events.js'
import { declareRoutes } from './routes.js'

@Injectable({ scope: 'request' })
class Unit {
  static readonly inject = []
  name = ''
  onRequestEnd(outcome: RequestOutcome): void {
    noteOf(this.name, `unit ${outcome.kind} ${outcome.status ?? ''}`.trim())
  }
  dispose(): void {
    noteOf(this.name, 'unit disposed')
  }
}

const items = { response: { 200: stream({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }) } } as const

@Controller('/scoped')
class Scoped {
  static readonly inject = [Unit] as const
  constructor(readonly unit: Unit) {}

  @Get('/plain')
  plain(request: RouteRequest): { ok: boolean } {
    this.unit.name = String(request.headers['x-case'])
    return { ok: true }
  }
  @Get('/failing')
  failing(request: RouteRequest): never {
    this.unit.name = String(request.headers['x-case'])
    throw new HttpError(409, 'taken')
  }
  @Get('/late')
  async late(request: RouteRequest): Promise<string> {
    this.unit.name = String(request.headers['x-case'])
    await wait(20)
    return 'late'
  }
  @Get('/stream')
  flow(request: RouteRequest): Readable {
    this.unit.name = String(request.headers['x-case'])
    return Readable.from(['one ', 'two ', 'three'])
  }
  @Get('/items', items)
  async *items(request: RouteRequest): AsyncGenerator<{ n: number }> {
    this.unit.name = String(request.headers['x-case'])
    for (let n = 1; n <= 3; n++) yield { n }
  }
  @Get('/hanging')
  async hanging(request: RouteRequest): Promise<string> {
    this.unit.name = String(request.headers['x-case'])
    note(request, 'began')
    await wait(10_000, undefined, { signal: request.signal }).catch(() => note(request, 'signal'))
    return 'too late'
  }
}

/** One instance for all requests, which reads the present one. */
class Cases {
  static readonly inject = [ambient(REQUEST)] as const
  constructor(readonly request: Ambient<Request>) {}
}

const HAPPENED = domainEvent('happened', { payload: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } })

@Job({ on: HAPPENED, when: 'now' })
class NoteNow {
  static readonly inject = []
  run({ input }: JobRun<typeof HAPPENED>): void {
    noteOf(input.name, 'handled')
  }
}

@Job({ on: HAPPENED, when: 'later' })
class NoteLater {
  static readonly inject = []
  run({ input }: JobRun<typeof HAPPENED>): void {
    noteOf(input.name, 'handled later')
  }
}

@Controller('/ambient')
class Ambients {
  static readonly inject = [Cases, HAPPENED] as const
  constructor(
    readonly cases: Cases,
    readonly happened: Emitter<{ name: string }>,
  ) {}

  @Get('/handle')
  async handle(): Promise<{ name: unknown }> {
    await wait(5)
    return { name: this.cases.request.current.headers['x-case'] }
  }
  @Get('/event')
  async event(request: RouteRequest): Promise<string> {
    await this.happened.emit({ name: String(request.headers['x-case']) })
    note(request, 'emitted')
    return 'emitted'
  }
  @Get('/log')
  log(request: RouteRequest): string {
    request.log.info({ case: String(request.headers['x-case']) }, 'said')
    return 'logged'
  }
}

@Plugin({ providers: [Unit, Cases, HAPPENED], routes: [Scoped, Ambients], jobs: [NoteNow, NoteLater] })
class ScopedPlugin {}

const find = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } } } as const
const create = {
  body: {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: { name: { type: 'string', minLength: 2 }, age: { type: 'integer', default: 18 } },
  },
  response: { 201: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } } },
} as const

// A bundler minifies the functions of Zod, by which a build must still know its limits.
const createByZod = { body: z.object({ name: z.string().min(2).max(5), tags: z.array(z.string()).length(1) }) }

@Controller('/users')
class Users {
  static readonly inject = []
  @Get('/:id', find)
  one({ params }: RouteRequest<typeof find>) {
    return params
  }
  @Post('/', create)
  create({ body }: RouteRequest<typeof create>, reply: Reply) {
    reply.code(201)
    return { ...body, secret: 'x' }
  }
  @Post('/zod', createByZod)
  createByZod({ body }: RouteRequest<typeof createByZod>) {
    return body
  }
}

@Plugin({ imports: [use(declareRoutes), ScopedPlugin], routes: [Users] })
export class App {}

/**
 * A logger of the application's own, so that no runtime needs pino. It notes the lines that name a case, and prints what keeps a server from
 * closing.
 */
const write = (values: unknown, text?: unknown): void => {
  if (typeof values === 'string' && / while the server closed|^closing /.test(values)) console.error(values)
  if (typeof text === 'string' && typeof values === 'object' && values !== null && 'case' in values) noteOf(String(values.case), text)
}
const loggerInstance: Logger = {
  trace: write,
  debug: write,
  info: write,
  warn: write,
  error: write,
  fatal: write,
  child: () => loggerInstance,
}

/** The options of the server that are not those of every application. */
export const appOptions: ServerOptions = {
  bodyLimit: 64 * 1024,
  closeTimeout: 3_000,
  methodNotAllowed: true,
  answerOptions: true,
  loggerInstance,
}

export function createApp(options: ServerOptions = {}): Promise<Server> {
  return bootstrap(App, { ...appOptions, ...options })
}
