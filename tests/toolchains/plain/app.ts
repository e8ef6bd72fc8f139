/** The application of ../src/app.ts without decorator syntax: every decorator is called. */
import {
  Config,
  Controller,
  factory,
  Get,
  Hook,
  HttpError,
  Injectable,
  LOGGER,
  type Logger,
  Plugin,
  Post,
  ref,
  REQUEST,
  type Request,
  requestDecorator,
  Route,
  type RouteRequest,
  Schema,
  shared,
  token,
} from 'alcove'

export const GREETING = token<string>('GREETING')
export const Caller = requestDecorator('caller', null).as<string | null>()
const Visits = requestDecorator('visits', 0)

const Roles = (...roles: string[]) => Config({ roles })

const person = {
  $id: 'Person',
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
} as const
class Person {
  static {
    Schema(person)(this)
  }
  id!: number
  name!: string
}

export class People {
  static readonly inject = [LOGGER] as const
  readonly #names = new Map<number, string>([[1, 'Ada']])
  readonly log: Logger

  constructor(log: Logger) {
    this.log = log
  }
  add(name: string): Person {
    const id = this.#names.size + 1
    this.#names.set(id, name)
    return { id, name }
  }
  find(id: number): string | undefined {
    return this.#names.get(id)
  }
}

class Trace {
  static {
    Injectable({ scope: 'request' })(this)
  }
  static readonly inject = [REQUEST] as const
  readonly url: string

  constructor(request: Request) {
    this.url = request.url
  }
}

class RolesGuard {
  static readonly requires = [Caller] as const

  preHandler({ caller, routeOptions }: RouteRequest<unknown, [typeof Caller]>) {
    const roles = routeOptions.config['roles'] as string[] | undefined
    if (roles !== undefined && !roles.includes(caller ?? '')) throw new HttpError(403)
  }
}

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: { 200: ref(Person) },
} as const
const add = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
  response: { 201: ref(Person) },
} as const

export class PeopleController {
  static {
    Controller('/people')(Hook('preHandler', RolesGuard)(this))
    Get('/:id', find)(this.prototype, 'find')
    Post({ status: 201 }, add)(this.prototype, 'add')
    Roles('admin')(this.prototype, 'add')
  }
  static readonly inject = [People] as const
  readonly #people: People

  constructor(people: People) {
    this.#people = people
  }

  find({ params }: RouteRequest<typeof find>) {
    const name = this.#people.find(params.id)
    if (name === undefined) throw new HttpError(404, 'Nobody')
    return { id: params.id, name }
  }

  async add({ body }: RouteRequest<typeof add>) {
    return this.#people.add(body.name)
  }
}

const seen = {
  response: { 200: { type: 'object', properties: { text: { type: 'string' }, visits: { type: 'integer' }, url: { type: 'string' } } } },
} as const

export class Hello {
  static {
    Route({ method: 'GET', path: '/hello' }, seen)(this)
  }
  static readonly inject = [GREETING, Trace] as const
  readonly #greeting: string
  readonly #trace: Trace

  constructor(greeting: string, trace: Trace) {
    this.#greeting = greeting
    this.#trace = trace
  }
  handle({ visits }: RouteRequest<typeof seen, [typeof Visits]>) {
    return { text: this.#greeting, visits, url: this.#trace.url }
  }
}

class Counting {
  static {
    Plugin({ decorateRequest: [Visits] })(this)
    Hook('onRequest')(this.prototype, 'count')
  }
  #count = 0

  async count(request: RouteRequest<unknown, [typeof Visits]>) {
    request.visits = ++this.#count
  }
}

class PeoplePlugin {
  static {
    Plugin({ requires: [Caller], providers: [People], routes: [PeopleController] })(this)
  }
}

class HelloPlugin {
  static {
    Plugin({
      prefix: '/hello-area',
      decorateRequest: [],
      providers: [Trace, factory(GREETING, [], async () => 'Hello')],
      imports: [shared(Counting)],
      requires: [Visits],
      routes: [Hello],
    })(this)
  }
}

export class App {
  static {
    Plugin({ decorateRequest: [Caller], imports: [PeoplePlugin, HelloPlugin] })(this)
    Hook('onRequest')(this.prototype, 'readCaller')
  }
  readCaller(request: RouteRequest<unknown, [typeof Caller]>, _reply: unknown, done: () => void) {
    request.caller = (request.headers['x-caller'] as string | undefined) ?? null
    done()
  }
}
