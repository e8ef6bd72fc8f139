/** Where time and memory of a start go: of a process until it listens, and until each route has been requested once. */
import { mebibytes, table, titleOf } from './format.mjs'

/** The first that a function on the stack of a sample matches, as `url#name`, has the sample. */
const stages = [
  ['garbage collection', /#\(garbage collector\)$/],
  ['schemas: reading the build', /^alcove:lib\/build\/prebuilt\.ts#/],
  ['loading modules', /^node:internal\/modules\//],
  ['schemas: compiling', /\/node_modules\/(?:ajv|fast-json-stringify|@fastify\/(?:ajv-compiler|fast-json-stringify-compiler))\//],
  ['router', /\/node_modules\/find-my-way\//],
  [
    'schemas: checks, texts and keys',
    /^alcove:lib\/schema\/(?!(?:validate-request|serialize-response)\.ts#|.*#(?:placeholder|serialize)$)/,
  ],
  ['schemas: first call of compiled functions', /^alcove:lib\/(?:schema\/|lifecycle\/reply\.ts#serialize$)/],
  ['reading and proving classes', /^alcove:decorators\/(?:wiring|declare)\//],
  ['requests', /^node:_http_(?:server|common|incoming)#/],
  ['routes and contexts', /^alcove:|\/fastify\/lib\/|\/node_modules\/(?:avvio|fastq|tsyringe)\//],
  ['Node and the rest', /./],
]

/** Milliseconds of the main thread by stage, of a CPU profile. */
export function startTimes({ nodes, samples, timeDeltas }) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const frames = new Map(nodes.map(({ id, callFrame: { url, functionName } }) => [id, `${url}#${functionName}`]))
  const stageOf = (sample) => {
    const stack = []
    for (let id = sample; id !== undefined; id = parents.get(id)) stack.push(frames.get(id))
    return stages.find(([, pattern]) => stack.some((frame) => pattern.test(frame)))[0]
  }
  const found = new Map()
  const times = Object.fromEntries(stages.map(([stage]) => [stage, 0]))
  for (const [at, id] of samples.entries()) {
    if (frames.get(id) === '#(idle)') continue
    const stage = found.get(id) ?? stageOf(id)
    found.set(id, stage)
    times[stage] += timeDeltas[at] / 1000
  }
  return times
}

export function startupTable({ routes, servers }) {
  const names = Object.keys(servers)
  const of = (read) => names.map((name) => read(servers[name]))
  const timesOf = (stage, read) => of((server) => read(server)[stage].toFixed(0))
  const rows = (title, read) =>
    stages
      .map(([stage]) => [`${title}: ${stage}`, ...timesOf(stage, read)])
      .filter(([, ...times]) => times.some((time) => Number(time) >= 5))
  const memory = [
    ['modules are loaded', ({ loaded }) => mebibytes(loaded.rss)],
    ['it listens', ({ listening }) => mebibytes(listening.rss)],
    ['each route was requested once', ({ answered }) => mebibytes(answered.rss)],
    ['… of this the heap', ({ answered }) => mebibytes(answered.heap)],
    ['… … of this the text of generated code, and other large objects', ({ answered }) => mebibytes(answered.large)],
    ['… … of this bytecode', ({ answered }) => mebibytes(answered.bytecode)],
  ]
  return [
    table(
      [`ms of the main thread, ${routes} routes`, ...names.map(titleOf)],
      [...rows('boot', ({ listening }) => listening.times), ...rows('each route once', ({ answered }) => answered.times)],
    ),
    table(
      ['RSS in MiB when', ...names.map(titleOf)],
      memory.map(([title, read]) => [title, ...of(read)]),
    ),
  ].join('\n\n')
}
