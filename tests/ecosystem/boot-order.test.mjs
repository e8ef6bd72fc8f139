/**
 * The order in which plugins load, callbacks run, errors travel and contexts close: each scenario runs on Fastify 5 and on
 * this server, and both must leave the same trace.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { createServer } from '../../dist/decorators/index.js'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** What is comparable of whatever was thrown: texts around a name differ, codes differ by their prefix. */
function told(error) {
  if (error === undefined || error === null) return String(error)
  if (!(error instanceof Error)) return `thrown ${typeof error} ${String(error)}`
  return error.code === undefined ? `Error ${error.message}` : String(error.code).replace(/^(?:FST|ALC|AVV)_ERR_/, '')
}

const settled = (promise) =>
  promise.then(
    () => 'resolved',
    (error) => `rejected: ${told(error)}`,
  )

/** A plugin that logs its beginning and its end; `body` runs between. */
const plugin = (log, name, body = () => {}) => {
  const load = async (instance, options) => {
    log(`${name} begins`)
    await turn()
    await body(instance, options)
    log(`${name} ends`)
  }
  Object.defineProperty(load, 'name', { value: name })
  return load
}

/** @type {Record<string, (make: (options?: object) => any, log: (entry: string) => void) => Promise<void>>} */
const scenarios = {
  async 'loads nested plugins depth first, each before the next of its siblings'(make, log) {
    const server = make()
    server.register(
      plugin(log, 'a', (a) => {
        a.register(
          plugin(log, 'a.1', (a1) => {
            a1.register(plugin(log, 'a.1.x'))
          }),
        )
        a.register(plugin(log, 'a.2'))
      }),
    )
    server.register(plugin(log, 'b'))
    log('registered')
    await server.ready()
    log('ready')
    await server.close()
  },

  async 'waits for callbacks, called at once or later'(make, log) {
    const server = make()
    server.register(function first(instance, _options, done) {
      log('first')
      instance.register((_child, _childOptions, childDone) => {
        log('nested in first')
        setImmediate(childDone)
      })
      setImmediate(() => {
        log('first is done')
        done()
      })
    })
    server.register(function second(_instance, _options, done) {
      log('second')
      done()
    })
    await new Promise((resolve) =>
      server.ready((error) => {
        log(`ready ${told(error)}`)
        resolve()
      }),
    )
    await server.close()
  },

  async 'goes on after an awaited register when the plugin and all below it are loaded'(make, log) {
    const server = make()
    server.register(
      plugin(log, 'outer', async (outer) => {
        log('outer registers inner')
        await outer.register(plugin(log, 'inner', (inner) => void inner.register(plugin(log, 'innermost'))))
        log('outer goes on')
        await outer.register(plugin(log, 'second'))
        log('outer goes on again')
      }),
    )
    await server.ready()
    await server.close()
  },

  async 'loads plugins one after the other that are registered together and awaited together'(make, log) {
    const server = make()
    server.register(
      plugin(log, 'outer', async (outer) => {
        await Promise.all([outer.register(plugin(log, 'a')), outer.register(plugin(log, 'b')), outer.register(plugin(log, 'c'))])
        log('all are loaded')
      }),
    )
    await server.ready()
    await server.close()
  },

  async 'loads at the top level what is awaited there, before ready'(make, log) {
    const server = make()
    await server.register(plugin(log, 'a'))
    log('a is awaited')
    server.register(plugin(log, 'b'))
    await server.after()
    log('after b')
    await server.register(plugin(log, 'c'))
    log('c is awaited')
    await server.ready()
    log('ready')
    await server.close()
  },

  async 'runs after-callbacks between the plugins around them, and plugins that they register'(make, log) {
    const server = make()
    server
      .register(plugin(log, 'a'))
      .after((error) => {
        log(`after a: ${told(error)}`)
        server.register(plugin(log, 'from after'))
      })
      .register(plugin(log, 'b'))
      .after(() => log('after b'))
    server.after((error, done) => {
      log(`last after: ${told(error)}`)
      setImmediate(done)
    })
    await server.ready()
    log('ready')
    await server.close()
  },

  async 'hands the error of a plugin to the after-callback behind it, and is ready then'(make, log) {
    const server = make()
    server.register(async function broken() {
      log('broken')
      throw new Error('broken')
    })
    server.after((error) => log(`after: ${told(error)}`))
    server.register(plugin(log, 'next'))
    log(await settled(server.ready()))
    await server.close()
  },

  async 'runs onReady hooks of all contexts in order, then ready-callbacks in order'(make, log) {
    const server = make()
    server.addHook('onReady', async () => log('root, promise'))
    server.register(async function child(instance) {
      instance.addHook('onReady', function (done) {
        log('child, callback')
        setImmediate(done)
      })
      instance.register(async function grandchild(below) {
        below.addHook('onReady', async () => log('grandchild'))
      })
    })
    server.register(async function sibling(instance) {
      instance.addHook('onReady', async () => log('sibling'))
    })
    server.ready((error) => log(`first ready ${told(error)}`))
    server.ready((error) => log(`second ready ${told(error)}`))
    await server.ready()
    await server.close()
  },

  async 'rejects ready with the error of a plugin, and loads no other after it'(make, log) {
    const server = make()
    server.register(
      plugin(log, 'outer', (outer) => {
        outer.register(async function broken() {
          log('broken')
          throw new Error('broken')
        })
        outer.register(plugin(log, 'behind it'))
      }),
    )
    server.register(plugin(log, 'sibling'))
    log(await settled(server.ready()))
    log(await settled(server.close()))
  },

  async 'passes an error given to done as one that is thrown'(make, log) {
    const server = make()
    server.register(function broken(_instance, _options, done) {
      log('broken')
      done(new Error('broken'))
    })
    await new Promise((resolve) =>
      server.ready((error) => {
        log(`ready: ${told(error)}`)
        resolve()
      }),
    )
    log(await settled(server.ready()))
    await server.close()
  },

  async 'rejects an awaited register with the error of the plugin, and ready with it although it was caught'(make, log) {
    const server = make()
    server.register(
      plugin(log, 'outer', async (outer) => {
        log(
          await settled(
            outer.register(async function broken() {
              throw new Error('broken')
            }),
          ),
        )
      }),
    )
    log(await settled(server.ready()))
    await server.close()
  },

  async 'names a plugin that never finishes'(make, log) {
    const server = make({ pluginTimeout: 200 })
    server.register(async function outer(instance) {
      instance.register(function neverDone(_instance, _options, _done) {
        log('neverDone begins')
      })
    })
    const error = await server.ready().then(
      () => undefined,
      (failure) => failure,
    )
    log(told(error))
    log(String(/neverDone/.test(error.message)))
    await server.close()
  },

  async 'names a plugin whose promise never settles'(make, log) {
    const server = make({ pluginTimeout: 200 })
    server.register(fastifyPlugin(() => new Promise(() => {}), { name: 'the-waiting-one' }))
    const error = await server.ready().then(
      () => undefined,
      (failure) => failure,
    )
    log(told(error))
    log(String(/the-waiting-one/.test(error.message)))
    await server.close()
  },

  async 'closes contexts from the last to the first, after preClose hooks and the last connection'(make, log) {
    const server = make()
    const closing = (name) => async (instance) => {
      instance.addHook('preClose', async () => log(`${name}: preClose`))
      instance.addHook('onClose', async () => log(`${name}: onClose 1`))
      instance.addHook('onClose', (_instance, done) => {
        log(`${name}: onClose 2`)
        setImmediate(done)
      })
    }
    await closing('root')(server)
    server.register(async function a(instance) {
      await closing('a')(instance)
      instance.register(async function below(child) {
        await closing('a.below')(child)
      })
    })
    server.register(async function b(instance) {
      await closing('b')(instance)
    })
    server.server.on('close', () => log('the HTTP server is closed'))
    await server.listen({ port: 0, host: '127.0.0.1' })
    log(await settled(server.close()))
  },

  async 'closes what was loaded before a plugin failed'(make, log) {
    const server = make()
    server.register(async function resource(instance) {
      log('opened')
      instance.addHook('onClose', async () => log('closed'))
    })
    server.register(async function broken() {
      throw new Error('broken')
    })
    log(await settled(server.ready()))
    log(await settled(server.close()))
  },

  async 'goes on closing after an onClose hook that fails'(make, log) {
    const server = make()
    server.addHook('onClose', async () => log('root'))
    server.register(async function a(instance) {
      instance.addHook('onClose', async () => {
        log('a fails')
        throw new Error('a')
      })
    })
    server.register(async function b(instance) {
      instance.addHook('onClose', async () => log('b'))
    })
    await server.ready()
    log(await settled(server.close()))
    log(await settled(server.close()))
  },

  async 'rejects ready with the error of an onReady hook, and runs none after it'(make, log) {
    const server = make()
    server.addHook('onReady', async () => {
      log('first')
      throw new Error('not ready')
    })
    server.register(async function child(instance) {
      instance.addHook('onReady', async () => log('second'))
    })
    log(await settled(server.ready()))
    await server.close()
  },

  async 'enters contexts, announces routes and hands late hooks down in the same order'(make, log) {
    const server = make({ exposeHeadRoutes: false })
    server.addHook('onRegister', (instance, options) => log(`onRegister ${instance.prefix} ${options.note ?? ''}`))
    server.addHook('onRoute', ({ url, prefix }) => log(`onRoute ${url} in '${prefix}'`))
    server.addHook('onRequest', async () => log('root, early'))
    server.register(
      async function a(instance) {
        instance.get('/one', () => 'one')
        instance.addHook('onRequest', async () => log('a'))
        instance.register(fastifyPlugin(async (wrapped) => void wrapped.addHook('onRequest', async () => log('wrapped in a'))))
        instance.get('/two', () => 'two')
      },
      { prefix: '/a', note: 'with options' },
    )
    server.get('/late', () => 'late')
    server.addHook('onRequest', async () => log('root, late'))
    await server.ready()
    for (const url of ['/a/one', '/a/two', '/late']) {
      log(url)
      await server.inject(url)
    }
    await server.close()
  },

  async 'refuses to register and to add hooks once it has started'(make, log) {
    const server = make()
    await server.ready()
    // Fastify has started one turn after it is ready, this server at once.
    await turn()
    const attempt = (name, act) => {
      try {
        act()
        log(`${name}: accepted`)
      } catch (error) {
        log(`${name}: ${told(error)}`)
      }
    }
    attempt('register', () => server.register(async () => {}))
    attempt('addHook', () => server.addHook('onRequest', async () => {}))
    attempt('route', () => server.get('/', () => 'late'))
    attempt('decorate', () => server.decorate('late', 1))
    await server.close()
  },
}

async function traceOf(scenario, make) {
  const trace = []
  // Returns nothing: Fastify takes what an onReady or preClose hook resolves with for an error.
  await scenario(make, (entry) => void trace.push(entry))
  return trace
}

describe('boot order, side by side with fastify 5', () => {
  for (const [title, scenario] of Object.entries(scenarios)) {
    it(title, async () => {
      const expected = await traceOf(scenario, fastify)
      assert.ok(expected.length > 1, 'the scenario leaves a trace')
      assert.deepEqual(await traceOf(scenario, createServer), expected)
    })
  }
})

describe('boot order, the intended difference', () => {
  for (const value of [null, undefined]) {
    it(`fails the boot when a plugin rejects with ${value}, which fastify 5 takes for success`, async () => {
      const scenario = async (make, log) => {
        const server = make()
        server.register(async function broken(instance) {
          instance.get('/never', () => 'never')
          return Promise.reject(value)
        })
        log(await settled(server.ready()))
        await server.close()
      }
      assert.deepEqual(await traceOf(scenario, fastify), ['resolved'])
      const [outcome] = await traceOf(scenario, createServer)
      assert.match(outcome, /^rejected: PLUGIN_REJECTED_EMPTY$/)
    })
  }

  it('names the plugin that rejects with a string, of which fastify 5 gives the string alone', async () => {
    const scenario = async (make, log) => {
      const server = make()
      server.register(async function broken() {
        throw 'a string'
      })
      await server.ready().then(undefined, (error) => log(error.message ?? error))
      await server.close()
    }
    assert.deepEqual(await traceOf(scenario, fastify), ['a string'])
    assert.match((await traceOf(scenario, createServer))[0], /'broken' failed with 'a string'/)
  })
})
