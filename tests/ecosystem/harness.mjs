/**
 * One description of an application, two faces: registered programmatically, and imported by plugin classes.
 *
 * The application has three contexts. The plugins under test live in `Home`; `Elsewhere` is its sibling; both hang below the
 * root, `App`. Whatever a plugin does to `Elsewhere` or to the root is a leak.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { bootstrap, createServer, Hook, Plugin, Route, Schema, use } from '../../dist/decorators/index.js'

const lifecycle = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'preSerialization', 'onSend', 'onResponse', 'onError']

/**
 * @typedef {object} Application
 * @property {[plugin: any, options?: object][]} plugins registered in `Home`, in this order
 * @property {[plugin: any, options?: object][]} [rootPlugins] registered in the root, before the contexts below
 * @property {object[]} [routes] route options of `Home`; plain data, so that a route class can be made of each
 * @property {(instance: any) => unknown} [setup] what only code can say, in `Home`, after the plugins and before the routes
 * @property {(instance: any) => unknown} [elsewhere] the same for `Elsewhere`
 * @property {object[]} [rootSchemas] shared schemas of the root
 * @property {object} [options] of the server
 */

/** @type {Record<string, (application: Application) => Promise<any>>} */
const faces = {
  'registered programmatically': async ({ plugins, rootPlugins = [], routes = [], setup, elsewhere, rootSchemas = [], options }) => {
    const server = createServer(options)
    for (const [plugin, pluginOptions] of rootPlugins) server.register(plugin, pluginOptions)
    for (const schema of rootSchemas) server.addSchema(schema)
    server.register(async function Home(instance) {
      for (const [plugin, pluginOptions] of plugins) await instance.register(plugin, pluginOptions)
      await setup?.(instance)
      for (const route of routes) instance.route(route)
    })
    server.register(async function Elsewhere(instance) {
      instance.get('/elsewhere', () => ({ from: 'elsewhere' }))
      await elsewhere?.(instance)
    })
    await server.ready()
    return server
  },

  'imported by a plugin class': async ({ plugins, rootPlugins = [], routes = [], setup, elsewhere, rootSchemas = [], options }) => {
    class Home {
      setup(instance) {
        return setup?.(instance)
      }
    }
    Plugin({ imports: plugins.map(([plugin, pluginOptions]) => use(plugin, pluginOptions)), routes: routes.map(routeClass) })(Home)

    class GetElsewhere {
      handle() {
        return { from: 'elsewhere' }
      }
    }
    Route({ method: 'GET', path: '/elsewhere' })(GetElsewhere)
    class Elsewhere {
      setup(instance) {
        return elsewhere?.(instance)
      }
    }
    Plugin({ routes: [GetElsewhere] })(Elsewhere)

    class App {}
    Plugin({
      schemas: rootSchemas,
      imports: [...rootPlugins.map(([plugin, pluginOptions]) => use(plugin, pluginOptions)), Home, Elsewhere],
    })(App)
    return bootstrap(App, options)
  },
}

/** Makes a route class of route options: `@Route`, `@Schema` and `@Hook` on a class with `handle`. */
function routeClass({ method, url, handler, schema, ...options }) {
  class RouteUnderTest {
    handle(...args) {
      return handler.apply(args[0].server ?? args[1]?.server, args)
    }
  }
  const rest = { ...options }
  for (const name of lifecycle) {
    for (const hook of [rest[name] ?? []].flat().toReversed()) Hook(name, hook)(RouteUnderTest)
    delete rest[name]
  }
  if (schema) Schema(schema)(RouteUnderTest)
  Route({ method, path: url, ...rest })(RouteUnderTest)
  return RouteUnderTest
}

/** Starts an application with each face. For tests that need more than one of them at a time. */
export function eachFace(test) {
  for (const [face, start] of Object.entries(faces)) test(face, start)
}

/**
 * Tests one plugin: `tests` is called for each face and declares its tests, with an object that knows the running server.
 *
 * @param {string} name the plugin's name in `node_modules`
 * @param {object} subject
 * @param {() => Application} subject.application made anew for each face
 * @param {{ server?: PropertyKey[], request?: PropertyKey[], reply?: PropertyKey[] }} [subject.decorates] must be visible in `Home` and nowhere else
 * @param {string} [subject.label] what is tested of the plugin, where one suite does not do
 * @param {(running: Running) => void} tests
 */
export function testPlugin(name, { application, decorates = {}, label }, tests) {
  describe(subjectTitle(name, label), () => {
    eachFace((face, start) =>
      describe(face, () => {
        const running = new Running()
        before(() => running.start(start, application()))
        after(() => running.close())

        const has = (instance) => ({
          server: (decorates.server ?? []).map((key) => [key, instance.hasDecorator(key)]),
          request: (decorates.request ?? []).map((key) => [key, instance.hasRequestDecorator(key)]),
          reply: (decorates.reply ?? []).map((key) => [key, instance.hasReplyDecorator(key)]),
        })
        const all = (isVisible) => ({
          server: (decorates.server ?? []).map((key) => [key, isVisible]),
          request: (decorates.request ?? []).map((key) => [key, isVisible]),
          reply: (decorates.reply ?? []).map((key) => [key, isVisible]),
        })
        if (Object.keys(decorates).length > 0) {
          it('decorates the context it is registered in, and neither its sibling nor the root', () => {
            assert.deepEqual(has(running.home), all(true))
            assert.deepEqual(has(running.sibling), all(false))
            assert.deepEqual(has(running.server), all(false))
          })
        }
        it('leaves the answers of a sibling context as they are without it', async () => {
          const bare = await startBare()
          try {
            assert.deepEqual(await answerOf(running.origin), await answerOf(bare.origin))
          } finally {
            await bare.server.close()
          }
        })
        tests(running)
      }),
    )
  })
}

/** `@fastify/cookie 11.1.5`, from what is installed; an alias such as `cookie4` shows the package that it stands for. */
export function subjectTitle(name, label) {
  const manifest = JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8'))
  return `${manifest.name} ${manifest.version}${label ? `: ${label}` : ''}`
}

async function startBare() {
  const server = createServer()
  server.get('/elsewhere', () => ({ from: 'elsewhere' }))
  return { server, origin: await server.listen({ port: 0, host: '127.0.0.1' }) }
}

async function answerOf(origin) {
  const response = await fetch(`${origin}/elsewhere`, { headers: { origin: 'http://example.com', 'accept-encoding': 'gzip' } })
  const headers = Object.fromEntries(response.headers)
  delete headers.date
  return { status: response.status, headers, body: await response.text() }
}

/** A running application and ways to ask it. */
export class Running {
  /** The instance of the context that the plugins are registered in, and that of its sibling. */
  home
  sibling
  server
  origin

  async start(face, { setup, elsewhere, ...rest }) {
    this.server = await face({
      ...rest,
      setup: (instance) => ((this.home = instance), setup?.(instance)),
      elsewhere: (instance) => ((this.sibling = instance), elsewhere?.(instance)),
    })
    this.origin = await this.server.listen({ port: 0, host: '127.0.0.1' })
  }

  close() {
    return this.server?.close()
  }

  /** A real request. Redirections are not followed. */
  fetch(path, init) {
    return fetch(this.origin + path, { redirect: 'manual', ...init })
  }

  /** A real request; its answer as JSON where it is JSON. */
  async ask(path, init) {
    const response = await this.fetch(path, init)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, text, body: isJson && text !== '' ? JSON.parse(text) : text }
  }

  post(path, body, headers = {}) {
    return this.ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })
  }
}

/** A request past `fetch`, with exactly these headers; the bytes of its answer as they came, compressed or not. */
export function raw(url, headers = {}) {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (response) => {
      const chunks = []
      response
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () => resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }))
        .on('error', reject)
    })
      .on('error', reject)
      .end()
  })
}
