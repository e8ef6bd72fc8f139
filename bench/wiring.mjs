/** A process that measures time and memory of `check()`. */
import { check, Plugin, Route } from '../dist/esm/index.js'
import { median } from './stats.mjs'

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
    globalThis.gc()
    const before = process.memoryUsage().heapUsed
    const start = process.hrtime.bigint()
    check(App)
    times.push(Number(process.hrtime.bigint() - start) / 1e6)
    sizes.push((process.memoryUsage().heapUsed - before) / 2 ** 20)
  }
  return { time: median(times), size: median(sizes) }
}

process.on('disconnect', () => process.exit())
process.send(
  [
    [500, 50],
    [2000, 200],
    [8000, 800],
  ].map(([providers, plugins]) => ({ providers, plugins, ...measureCheck(providers, plugins) })),
)
