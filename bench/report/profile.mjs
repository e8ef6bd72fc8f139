/** Where the CPU of a workload goes: self time by stage and by function, of one server in process. */

const SHOWN = 30

/**
 * The first whose pattern a function matches, as `url#name`, has it. Functions of Node that are not JavaScript stand under `native`;
 * those that a library compiled have no URL.
 */
const stages = [
  ['garbage collection', /#\(garbage collector\)$/],
  ['idle', /#\(idle\)$/],
  ['native code outside functions', /#\((?:program|root)\)$/],
  ['driver', /\/bench\/(?:driver|answer|process)\.mjs#/],
  ['driver: streams in memory', /^node:internal\/streams\//],
  ['node: HTTP parse', /^(?:node:(?:_http_server|_http_common|_http_incoming|internal\/http)#|native#(?:execute|free|initialize)$)/],
  ['node: HTTP write', /^node:(?:_http_outgoing|net)#/],
  ['node: the rest', /^(?:node:|native#)/],
  ['handler', /\/bench\/(?:dist\/)?(?:servers\/|data\.mjs)/],
  ['routing', /find-my-way|fast-querystring|fast-decode-uri|^alcove:lib\/(?:route\/router|server\/route-table)\.ts/],
  [
    'validation',
    /class-(?:validator|transformer)|\/validator\/|\/ajv|\/fast-uri\/|^alcove:lib\/schema\/validate-request\.ts|\/fastify\/lib\/validation\.js|^#validate/,
  ],
  [
    'body',
    /secure-json-parse|content-type|^alcove:lib\/(?:lifecycle\/read-body|context\/(?:body-parsers|json-parser)|http\/media-type)\.ts/,
  ],
  ['serialization', /fast-json-stringify|^alcove:lib\/schema\/(?:fast-json|serialize-response)\.ts|^#/],
  ['write', /^alcove:lib\/(?:lifecycle\/(?:transmit|send|reply)|http\/server-response)\.ts|\/fastify\/lib\/(?:reply|wrap-thenable)\.js/],
  ['providers', /^alcove:decorators\/|\/@nestjs\/core\/injector\//],
  ['pipeline', /./],
]

function stageOf(key) {
  return stages.find(([, pattern]) => pattern.test(key))[0]
}

/** µs of self time of each function of a CPU profile. */
export function selfTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const times = new Map()
  for (const [at, id] of samples.entries()) {
    const { functionName, url, lineNumber, scriptId } = byId.get(id)
    const key = `${scriptId === '0' ? 'native' : url}#${functionName}`
    const entry = times.get(key) ?? {
      key,
      place: `${functionName || '(anonymous)'} ${shorten(url)}${url === '' ? '' : `:${lineNumber + 1}`}`,
      time: 0,
    }
    entry.time += timeDeltas[at]
    times.set(key, entry)
  }
  return [...times.values()].sort((a, b) => b.time - a.time)
}

function shorten(url) {
  return url.replace(/^.*\/node_modules\//, '').replace(/^file:\/\/.*\/(dist|bench)\//, '$1/')
}

/** µs of CPU per request by stage, the longest first. */
export function stageTimes({ times, requests, cpu }) {
  const byStage = new Map()
  for (const { key, time } of times) byStage.set(stageOf(key), (byStage.get(stageOf(key)) ?? 0) + time)
  byStage.delete('idle')
  // Samples are of the clock: parts of the CPU time leave out what other processes took of it.
  const total = [...byStage.values()].reduce((sum, time) => sum + time, 0)
  const perRequest = (cpu * 1e6) / requests
  return [...byStage].sort(([, a], [, b]) => b - a).map(([stage, time]) => [stage, (time / total) * perRequest])
}

export function printProfile(profile) {
  const { times, requests, cpu } = profile
  const busy = times.filter(({ key }) => stageOf(key) !== 'idle')
  const total = busy.reduce((sum, { time }) => sum + time, 0)
  const perRequest = (cpu * 1e6) / requests
  const line = (time, text) =>
    console.log(`${time.toFixed(3).padStart(9)} µs ${((time / perRequest) * 100).toFixed(1).padStart(5)} %  ${text}`)
  console.log(`${perRequest.toFixed(2)} µs of CPU per request while profiled\n\nby stage, per request:`)
  for (const [stage, time] of stageTimes(profile)) line(time, stage)
  console.log(`\nby function, the first ${SHOWN}:`)
  for (const { key, place, time } of busy.slice(0, SHOWN)) line((time / total) * perRequest, `${place} [${stageOf(key)}]`)
}
