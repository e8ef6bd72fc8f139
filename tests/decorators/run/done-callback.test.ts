/** When a hook that is a method of a class is done: a request must neither pass a guard too early nor wait for ever. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Class, Controller, Get, Hook, HttpError, Plugin, type Reply, REQUEST, type Request, testServer } from 'alcove'

const deadline = { timeout: 5000 }

async function statusOf(Guard: Class): Promise<number> {
  @Controller()
  @Hook('preHandler', Guard)
  class Guarded {
    @Get('/')
    index() {
      return 'through'
    }
  }
  @Plugin({ routes: [Guarded] })
  class App {}
  await using app = await testServer(App)
  return (await app.inject('/')).statusCode
}

const later = (act: () => void) => void setTimeout(act, 20)
const refuse = () => {
  throw new HttpError(403)
}

class Returns {
  preHandler(_request: Request) {}
}
class Throws {
  preHandler() {
    refuse()
  }
}
class Replies {
  preHandler(_request: Request, reply: Reply) {
    reply.code(403).send('no')
  }
}
class RejectsLater {
  preHandler(_request: Request) {
    return Promise.resolve().then(refuse)
  }
}
class CallsDoneLater {
  preHandler(_request: Request, _reply: Reply, done: (error: Error) => void) {
    later(() => done(new HttpError(403)))
  }
}
// Its `length` does not show that it calls `done`.
class CallsDoneByRest {
  preHandler(...all: any[]) {
    later(() => all[2](new HttpError(403)))
  }
}
// Three dots that are not a rest parameter.
class Spreads {
  preHandler({ headers: { host, ...others } }: Request, _reply: Reply, all = Object.keys({ ')': `${host})`, ...others })) {
    if ([...all, { ...others }, '...'].length === 0) refuse()
  }
}
class SpreadsAsArrow {
  preHandler(_request: Request) {}
}
SpreadsAsArrow.prototype.preHandler = (request) => void [...Object.keys(request.headers), '...']
class Catches {
  preHandler(_request: Request, ...[, done]: any[]) {
    later(() => done(new HttpError(403)))
  }
}
class RequestScoped {
  static readonly inject = [REQUEST] as const
  constructor(private readonly request: Request) {}
  preHandler(_request: Request) {
    if (this.request.headers['x-key'] === undefined) refuse()
  }
}

describe('a guard class', () => {
  for (const [Guard, status] of [
    [Returns, 200],
    [Throws, 403],
    [Replies, 403],
    [RejectsLater, 403],
    [CallsDoneLater, 403],
    [CallsDoneByRest, 403],
    [Catches, 403],
    [Spreads, 200],
    [SpreadsAsArrow, 200],
    [RequestScoped, 403],
  ] as const) {
    test(`${Guard.name}: ${status}`, deadline, async () => {
      assert.equal(await statusOf(Guard), status)
    })
  }
})

test('a synchronous method that returns a payload hands it on', deadline, async () => {
  @Controller()
  class Plain {
    @Get('/')
    index() {
      return { n: 1 }
    }
  }
  @Plugin({ routes: [Plain] })
  class App {
    @Hook('preSerialization')
    wrap(_request: Request, _reply: Reply, payload: unknown) {
      return { data: payload }
    }
    @Hook('onSend')
    look(_request: Request, _reply: Reply, _payload: unknown) {}
  }
  await using app = await testServer(App)
  assert.equal((await app.inject('/')).body, '{"data":{"n":1}}')
})
