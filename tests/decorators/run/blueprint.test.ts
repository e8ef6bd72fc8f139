/** The schemas that `check` compiles without a boot, and those that it leaves to the boot. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  Controller,
  domainEvent,
  Get,
  Job,
  type PluginImport,
  type PluginOptions,
  queue,
  type RouteSchema,
  type Server,
  shared,
  use,
} from 'alcove'
import fastifyPlugin from 'fastify-plugin'
import { plugin } from '../../fixtures/applications.js'

/** Makes an application whose root has a child with a route, and the route a schema of its query. */
function application(query: object, root: PluginOptions = {}, child: PluginOptions = {}): Class {
  @Controller('/users')
  class Users {
    @Get('/', { query: { type: 'object', properties: { name: query } } } as RouteSchema)
    list(): string {
      return ''
    }
  }
  return plugin('App', { ...root, imports: [...(root.imports ?? []), plugin('Child', { ...child, routes: [Users] })] })
}

function messageOf(App: Class, options?: Parameters<typeof check>[1]): string | undefined {
  try {
    check(App, options)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Imports a function that fastify-plugin has made shared. */
function withMetadata(added: (instance: Server) => Promise<void>, name: string): PluginImport {
  return use(fastifyPlugin(added as never, { name }) as unknown as typeof added, {})
}

const misspelt = { type: 'string', maxLenght: 3 }

describe('check', () => {
  test('refuses a schema that does not compile, with the error of the boot', async () => {
    for (const query of [
      misspelt,
      { type: 'strng' },
      { type: 'string', format: 'emial' },
      { $ref: 'nowhere#' },
      { type: 'string', pattern: '(' },
    ]) {
      const App = application(query)
      const booting = await bootstrap(App).then(
        () => undefined,
        (error: Error) => error,
      )
      assert.match(booting?.message ?? '', /^App > Child > Users\.list: Failed building the validation schema for GET: \/users/)
      assert.equal(messageOf(App), booting?.message)
    }
  })

  test('reports the faults of all routes together', () => {
    @Controller('/')
    class Routes {
      @Get('/one', { query: { type: 'object', properties: { name: misspelt } } } as RouteSchema)
      one(): string {
        return ''
      }
      @Get('/two', { response: { 200: { $ref: 'nowhere#' } } })
      two(): string {
        return ''
      }
    }
    assert.throws(
      () => check(plugin('App', { routes: [Routes] })),
      (error: Error & { errors?: Error[] }) => {
        assert.deepEqual(
          error.errors?.map((each) => (each as { code?: string }).code),
          ['ALC_ERR_SCH_VALIDATION_BUILD', 'ALC_ERR_SCH_SERIALIZATION_BUILD'],
        )
        return true
      },
    )
  })

  test('refuses a constraint for which there is no strategy', () => {
    @Controller('/')
    class Routes {
      @Get({ path: '/', constraints: { tenant: 'a' } })
      one(): string {
        return ''
      }
    }
    assert.match(messageOf(plugin('App', { routes: [Routes] })) ?? '', /tenant/)
    const strategy = {
      name: 'tenant',
      storage: () => ({ get: () => null, set: () => {} }),
      deriveConstraint: () => 'a',
      validate: () => {},
    }
    assert.equal(messageOf(plugin('App', { routes: [Routes] }), { constraints: { tenant: strategy } }), undefined)
  })

  test('compiles with the options of the server', () => {
    const App = application({ type: 'string', shout: true })
    assert.match(messageOf(App) ?? '', /unknown keyword: "shout"/)
    assert.equal(messageOf(App, { jsv: { customOptions: { keywords: ['shout'] } } }), undefined)
    assert.throws(() => check(App, { bodylimit: 1 } as never), { code: 'ALC_ERR_INIT_OPTS_INVALID' })
  })

  test('leaves a context to the boot if code that runs there at boot may change what compiles: there, and below', () => {
    const addSchema = (instance: Server): Promise<void> => {
      instance.addSchema({ $id: 'late', type: 'string' })
      return Promise.resolve()
    }
    const inSetup = plugin('App', { imports: [application({ $ref: 'late#' })] })
    inSetup.prototype.setup = addSchema
    const changed: Class[] = [
      inSetup,
      application({ $ref: 'late#' }, { imports: [withMetadata(addSchema, 'schemas')] }),
      application({ $ref: 'late#' }, { imports: [shared(use(addSchema, {}))] }),
      application({ $ref: 'late#' }, {}, { imports: [shared(use(addSchema, {}))] }),
      ...['@fastify/multipart', '@fastify/sensible'].map((name) =>
        application({ $ref: 'late#' }, { imports: [withMetadata(addSchema, name)] }),
      ),
    ]
    for (const App of changed) assert.equal(messageOf(App), undefined)
  })

  test('compiles beside such contexts, and below plugins that are known to change no schemas', () => {
    const own = (_instance: Server): Promise<void> => Promise.resolve()
    const unchanged: Class[] = [
      application(misspelt, { imports: [use(own, {})] }),
      application(misspelt, { imports: [plugin('Sibling', { imports: [shared(use(own, {}))] })] }),
      application(misspelt, { imports: [withMetadata(own, '@fastify/cors')] }),
    ]
    for (const App of unchanged) assert.match(messageOf(App) ?? '', /Did you mean 'maxLength'\?/)
  })

  test('compiles the schemas of queues and events, and reports them together with those of routes', () => {
    const MAILS = queue('mails', { input: misspelt })
    const MADE = domainEvent('made', { payload: { type: 'strin' } })
    @Job({ queue: MAILS })
    class SendMail {
      run(): void {}
    }
    @Job({ on: MADE, when: 'now' })
    class Note {
      run(): void {}
    }
    class Maker {
      static readonly inject = [MADE] as const
    }
    const declared = { providers: [MAILS, MADE, Maker], jobs: [SendMail, Note] }
    const message = messageOf(application(misspelt, declared)) ?? ''
    assert.match(message, /^3 faults were found:/)
    for (const owner of ["the queue 'mails'", "the event 'made'"]) assert.ok(message.includes(`JOB: ${owner}, due to error`), message)

    const changed = plugin('App', declared)
    changed.prototype.setup = () => Promise.resolve()
    assert.equal(messageOf(changed), undefined, 'setup may add a schema, a keyword or a compiler')
  })
})
