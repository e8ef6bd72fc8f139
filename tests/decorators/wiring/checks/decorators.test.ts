/** Decorators that stand where nothing reads them. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Config, Controller, Get, Hook, Plugin, Schema, shared } from 'alcove'
import { messagesOf } from '../../../fixtures/applications.js'
import { builds } from '../../../fixtures/both-builds.js'
import * as ownDecorators from '../../../fixtures/standard/misplaced.js'

for (const { name, load } of builds) {
  describe(`with ${name}, a decorator is a fault`, () => {
    let cases: typeof ownDecorators.misplaced
    before(async () => ({ misplaced: cases } = await load('misplaced', ownDecorators)))

    for (const [index, [title, , expected]] of ownDecorators.misplaced.entries()) {
      test(title, () => {
        const messages = messagesOf(cases[index]![1])
        assert.equal(messages.length, expected.length, messages.join('\n'))
        for (const [at, text] of expected.entries()) assert.ok(messages[at]!.startsWith(text), `${messages[at]}\n${text}`)
      })
    }
  })
}

test('a decorator on a parameter is a fault', () => {
  @Controller('/')
  class Parameters {
    @Get()
    all(@(Config({ a: 1 }) as ParameterDecorator) _request: unknown) {}
  }
  @Plugin({ routes: [Parameters] })
  class App {}
  assert.deepEqual(messagesOf(App), [
    'App > Parameters.all has @Config, which has no effect there: it is a parameter. It stands above a route, a controller or a method with @Get(), @Post() ….',
  ])
})

test('a decorator on a private member is a fault', () => {
  @Controller('/')
  class Hides {
    @Get()
    all() {}
  }
  // What a compiler of standard decorators makes of `@Get('/hidden') #hidden() {}`.
  const metadata = {}
  Get('/hidden')(() => {}, { kind: 'method', name: '#hidden', private: true, static: false, metadata })
  Object.defineProperty(Hides, (Symbol as { metadata?: symbol }).metadata!, { value: metadata })
  @Plugin({ routes: [Hides] })
  class App {}
  assert.match(
    messagesOf(App).join('\n'),
    /^App > Hides\.#hidden has @Get, @Post … or @Action, which has no effect there: it is a private member\./,
  )
})

test('a shared schema may stand above any class, because others refer to it', () => {
  @Schema({ $id: 'Settings', type: 'object' })
  class Settings {}
  @Plugin({ providers: [Settings] })
  class App {}
  assert.deepEqual(messagesOf(App), [])
})

test('a class that is both a plugin and a controller, and is listed as both, has all that its decorators say', () => {
  @Controller('/')
  @Plugin()
  class Both {
    @Get()
    all() {}
    @Hook('onRequest')
    async log() {}
  }
  @Plugin({ imports: [shared(Both)], routes: [Both] })
  class App {}
  assert.deepEqual(messagesOf(App), [])
})
