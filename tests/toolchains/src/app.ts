/** A small application without anything that only some toolchains understand: what a class takes stands in `static inject`. */
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

@Schema({ $id: 'Person', type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: { type: 'string' } } })
class Person {
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

@Injectable({ scope: 'request' })
class Trace {
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

@Controller('/people')
@Hook('preHandler', RolesGuard)
export class PeopleController {
  static readonly inject = [People] as const
  readonly #people: People

  constructor(people: People) {
    this.#people = people
  }

  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    const name = this.#people.find(params.id)
    if (name === undefined) throw new HttpError(404, 'Nobody')
    return { id: params.id, name }
  }

  @Post({ status: 201 }, add)
  @Roles('admin')
  async add({ body }: RouteRequest<typeof add>) {
    return this.#people.add(body.name)
  }
}

const seen = {
  response: { 200: { type: 'object', properties: { text: { type: 'string' }, visits: { type: 'integer' }, url: { type: 'string' } } } },
} as const

@Route({ method: 'GET', path: '/hello' }, seen)
export class Hello {
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

@Plugin({ decorateRequest: [Visits] })
class Counting {
  #count = 0

  @Hook('onRequest')
  async count(request: RouteRequest<unknown, [typeof Visits]>) {
    request.visits = ++this.#count
  }
}

@Plugin({ requires: [Caller], providers: [People], routes: [PeopleController] })
class PeoplePlugin {}

@Plugin({
  prefix: '/hello-area',
  decorateRequest: [],
  providers: [Trace, factory(GREETING, [], async () => 'Hello')],
  imports: [shared(Counting)],
  requires: [Visits],
  routes: [Hello],
})
class HelloPlugin {}

@Plugin({ decorateRequest: [Caller], imports: [PeoplePlugin, HelloPlugin] })
export class App {
  @Hook('onRequest')
  readCaller(request: RouteRequest<unknown, [typeof Caller]>, _reply: unknown, done: () => void) {
    request.caller = (request.headers['x-caller'] as string | undefined) ?? null
    done()
  }
}
