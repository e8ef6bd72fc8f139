/**
 * What the wiring costs: time and memory of check(), and CPU per request of a route with a request scope against one without.
 * `npm run build && node --expose-gc --max-semi-space-size=256 bench/wiring.mjs`
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { fileURLToPath } from 'node:url'
import { bootstrap, check, Injectable, Plugin, REQUEST, Route } from '../dist/decorators/index.js'

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** A tree of plugins, ten children each; every provider asks for three that it sees, and each plugin has a route. */
function makeApp(providerCount, pluginCount) {
  const perPlugin = providerCount / pluginCount
  const nodes = Array.from({ length: pluginCount }, (_, index) => ({
    Class: { [`Plugin${index}`]: class {} }[`Plugin${index}`],
    children: [],
    providers: [],
  }))
  for (const [index, node] of nodes.entries()) {
    const parent = index === 0 ? undefined : nodes[Math.floor((index - 1) / 10)]
    parent?.children.push(node)
    node.visible = parent === undefined ? [] : [...parent.visible.slice(-20), ...parent.providers]
    for (let at = 0; at < perPlugin; at++) {
      const seen = [...node.visible, ...node.providers]
      const name = `Provider${index}_${at}`
      const Provider = {
        [name]: class {
          constructor(a, b, c) {
            this.given = [a, b, c]
          }
        },
      }[name]
      Provider.inject = seen.slice(-3)
      while (Provider.inject.length < 3) Provider.inject.push({ optional: 'nothing' })
      node.providers.push(Provider)
    }
  }
  for (const [index, node] of nodes.toReversed().entries()) {
    class Answer {
      static inject = [node.providers.at(-1)]
      handle() {}
    }
    Route({ method: 'GET', path: `/r${index}` })(Answer)
    Plugin({ providers: node.providers, routes: [Answer], imports: node.children.map((child) => child.Class) })(node.Class)
  }
  return nodes[0].Class
}

function measureCheck(providers, plugins) {
  const App = makeApp(providers, plugins)
  for (let warm = 0; warm < 3; warm++) check(App)
  const times = []
  const sizes = []
  for (let round = 0; round < 9; round++) {
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    const start = process.hrtime.bigint()
    check(App)
    times.push(Number(process.hrtime.bigint() - start) / 1e6)
    sizes.push((process.memoryUsage().heapUsed - before) / 2 ** 20)
  }
  return { time: median(times), size: median(sizes) }
}

async function serve() {
  class Trace {
    static inject = [REQUEST]
    constructor(request) {
      this.url = request.url
    }
  }
  Injectable({ scope: 'request' })(Trace)
  class Plain {
    handle(request) {
      return { url: request.url }
    }
  }
  Route({ method: 'GET', path: '/plain' })(Plain)
  class Scoped {
    static inject = [Trace]
    constructor(trace) {
      this.trace = trace
    }
    handle() {
      return { url: this.trace.url }
    }
  }
  Route({ method: 'GET', path: '/scoped' })(Scoped)
  class App {}
  Plugin({ providers: [Trace], routes: [Plain, Scoped] })(App)
  const server = await bootstrap(App)
  process.on('message', () => process.send(process.cpuUsage()))
  process.send(await server.listen({ port: 0, host: '127.0.0.1' }))
}

async function measureRequests() {
  const child = fork(fileURLToPath(import.meta.url), ['serve'])
  const [origin] = await once(child, 'message')
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const ask = (path) =>
    new Promise((resolve, reject) => {
      httpRequest(origin + path, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end()
    })
  const cpu = async () => {
    child.send('cpu')
    const [{ user, system }] = await once(child, 'message')
    return user + system
  }
  const round = async (path, count) => {
    const before = await cpu()
    let left = count
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        while (left-- > 0) await ask(path)
      }),
    )
    return ((await cpu()) - before) / count
  }
  const found = { '/plain': [], '/scoped': [] }
  for (let at = 0; at < 9; at++) for (const path of Object.keys(found)) found[path].push(await round(path, 4000))
  child.kill()
  agent.destroy()
  // The first two rounds of each warm up.
  return { plain: median(found['/plain'].slice(2)), scoped: median(found['/scoped'].slice(2)) }
}

if (process.argv[2] === 'serve') await serve()
else {
  console.log(
    '| providers | plugins | check(), ms | µs per provider | allocated, MiB | KiB per provider |\n| --- | --- | --- | --- | --- | --- |',
  )
  for (const [providers, plugins] of [
    [500, 50],
    [2000, 200],
    [8000, 800],
  ]) {
    const { time, size } = measureCheck(providers, plugins)
    console.log(
      `| ${providers} | ${plugins} | ${time.toFixed(1)} | ${((time * 1000) / providers).toFixed(1)} | ${size.toFixed(2)} | ${((size * 1024) / providers).toFixed(2)} |`,
    )
  }
  const { plain, scoped } = await measureRequests()
  console.log(
    `\n| route | CPU per request, µs |\n| --- | --- |\n| without a request scope | ${plain.toFixed(1)} |\n| with a request-scoped provider | ${scoped.toFixed(1)} (${((scoped / plain - 1) * 100).toFixed(0)} % more) |`,
  )
}
