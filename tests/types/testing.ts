/** Test servers: overrides, stubs and calls are typed. */
import {
  Controller,
  Get,
  Plugin,
  type Reply,
  type Request,
  requestDecorator,
  Route,
  type RouteRequest,
  type Server,
  testServer,
  token,
} from 'alcove'

const Answer = requestDecorator('answer', 42)
const CLOCK = token<() => number>('CLOCK')

class Users {
  readonly #cache = new Map<string, string>()
  private readonly table = 'users'
  find(id: string): { id: string } | undefined {
    return this.#cache.has(id) ? { id: this.table } : undefined
  }
}

const schema = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const

@Controller('/users')
class UsersController {
  @Get('/:id', schema)
  one({ params }: RouteRequest<typeof schema, [typeof Answer]>) {
    return { id: params.id }
  }
}

// Handlers that do not read the parameters of their path.
@Controller('/logs/:day')
class Logs {
  @Get()
  list() {
    return { at: new Date(), entries: [{ at: new Date(), text: '' }] }
  }

  @Get('/size')
  size({ headers }: { headers: object }) {
    return Object.keys(headers).length
  }
}

@Route({ method: 'GET', path: '/now' })
class Now {
  handle() {
    return { now: 1 }
  }
}

@Plugin({ requires: [Answer], providers: [Users], routes: [UsersController, Now] })
class UsersPlugin {}

// A fake needs what is public, and only that.
class FakeUsers {
  find(id: string) {
    return { id }
  }
}
class IncompleteUsers {
  other() {}
}

await testServer(UsersPlugin, {
  provide: [
    [Answer, 1],
    [CLOCK, () => 0],
  ],
  override: [[Users, FakeUsers]],
})
await testServer(UsersPlugin, { override: [[Users, { find: (id: string) => ({ id }) }]] })
// @ts-expect-error the fake lacks find()
await testServer(UsersPlugin, { override: [[Users, IncompleteUsers]] })
// @ts-expect-error the decorator is a number
await testServer(UsersPlugin, { provide: [[Answer, 'one']] })

// A class stands for an object of it only in the place of a class.
const STORE = token<{ read(): string }>('STORE')
class FakeStore {
  read() {
    return ''
  }
}
await testServer(UsersPlugin, {
  provide: [
    [Users, FakeUsers],
    [STORE, new FakeStore()],
  ],
})
// @ts-expect-error the fake lacks find()
await testServer(UsersPlugin, { provide: [[Users, IncompleteUsers]] })
// A stub of a class may have a part of its members.
class Tickets {
  private readonly all: string[] = []
  readonly #count = 0
  list(): string[] {
    return this.all
  }
  find(id: number): string | undefined {
    return this.all[id + this.#count]
  }
}
class EmptyTickets {
  list() {
    return []
  }
}
class CountingTickets {
  calls = 0
  list() {
    return []
  }
  find() {
    this.calls++
    return undefined
  }
}
abstract class Clock {
  abstract now(): number
  abstract zone(): string
}
await testServer(UsersPlugin, {
  provide: [
    [Tickets, { list: () => [] }],
    [Clock, { now: () => 1 }],
    [Users, {}],
  ],
})
await testServer(UsersPlugin, { provide: [[Tickets, EmptyTickets]] })
await testServer(UsersPlugin, { provide: [[Tickets, new EmptyTickets()]] })
await testServer(UsersPlugin, { provide: [[Tickets, CountingTickets]] })
await testServer(UsersPlugin, { provide: [[Tickets, new CountingTickets()]] })
// @ts-expect-error a misspelt member
await testServer(UsersPlugin, { provide: [[Tickets, { list: () => [], fnid: () => undefined }]] })
// @ts-expect-error a member of another type
await testServer(UsersPlugin, { provide: [[Tickets, { list: () => 'none' }]] })
// @ts-expect-error a method that needs more
await testServer(UsersPlugin, { provide: [[Tickets, { find: (id: string) => id }]] })
// @ts-expect-error a private member
await testServer(UsersPlugin, { provide: [[Tickets, { all: [] }]] })
// @ts-expect-error a function
await testServer(UsersPlugin, { provide: [[Tickets, () => []]] })
// @ts-expect-error a value of another kind
await testServer(UsersPlugin, { provide: [[Tickets, 'none']] })
// @ts-expect-error null
await testServer(UsersPlugin, { provide: [[Tickets, null]] })
// @ts-expect-error an override stands for the whole class
await testServer(UsersPlugin, { override: [[Tickets, { list: () => [] }]] })
// @ts-expect-error a token has no members of its own: its value is whole
await testServer(UsersPlugin, { provide: [[STORE, {}]] })
// @ts-expect-error the class itself has no read()
await testServer(UsersPlugin, { provide: [[STORE, FakeStore]] })

await using app = await testServer(UsersPlugin)
const body = await app.call(UsersController, 'one', { params: { id: 1 } }).expect(200)
body.id satisfies number
const now = await app.call(Now).expect()
now.now satisfies number
// @ts-expect-error params are needed
await app.call(UsersController, 'one')
// @ts-expect-error the id is an integer
await app.call(UsersController, 'one', { params: { id: 'x' } })
// @ts-expect-error there is no such method
await app.call(UsersController, 'two')

// Parameters of the path can be passed also if the handler takes no request, or does not read them. A `Date` arrives as text.
const logs = await app.call(Logs, 'list', { params: { day: '2026-01-01' } }).expect(200)
logs.at satisfies string
logs.entries[0]?.at satisfies string | undefined
await app.call(Logs, 'size', { params: { day: 1 } })
await app.call(Logs, 'list')

// Hook classes, handler classes and plugins are overridden as providers are.
class Guard {
  constructor(private readonly users: Users) {}
  preHandler(_request: Request) {
    this.users.find('1')
  }
}
class AllowAll {
  preHandler() {}
}
class ApiErrors {
  errorHandler(error: Error, _request: Request, reply: Reply) {
    return reply.send(error.message)
  }
}
class MailPlugin {
  setup(_instance: Server, _options: { url: string }) {}
}
class NoMail {}
class Starting {
  setup() {}
}
const mailFunction = async (_instance: Server, _options: { url: string }) => {}
await testServer(UsersPlugin, {
  override: [
    [Guard, AllowAll],
    [ApiErrors, { errorHandler: () => 'fake' }],
    [MailPlugin, NoMail],
    [mailFunction, async () => {}],
  ],
})
// @ts-expect-error the substitute has no such method
await testServer(UsersPlugin, { override: [[Guard, Users]] })
// @ts-expect-error the substitute has no such method
await testServer(UsersPlugin, { override: [[ApiErrors, { preHandler() {} }]] })
// @ts-expect-error this setup is not that of a plugin
await testServer(UsersPlugin, { override: [[Starting, NoMail]] })
