/** What other pages say of the results: the ratios at a glance, where alcove loses, where the time goes. */
import { curves } from '../curves.mjs'
import { transports } from '../transports.mjs'
import { decimals, ratioTo, table, titleOf } from './format.mjs'

const others = ['http', 'alcove', 'classes', 'nest']

export function ratiosTable({ requests, boot, application }) {
  const cell = (value) => (value === undefined ? '–' : value.toFixed(2))
  const rows = Object.entries(requests.workloads)
    .filter(([, byServer]) => byServer['fastify'] !== undefined)
    .map(([workload, byServer]) => [
      `CPU per request, \`${workload}\``,
      ...[...others, 'built'].map((name) => cell(byServer[name]?.ratio.median)),
    ])
  const bootRow = (title, key, read) => [title, ...[...others, 'built'].map((name) => cell(ratioTo(boot.cases[key], name, read)))]
  for (const key of Object.keys(boot.cases).filter((key) => key.startsWith(largestBoot(boot)))) {
    const routes = `${key.replace('1000', '1,000').replace(' ', ' routes with ')} schemas`
    rows.push(bootRow(`CPU of the boot, ${routes}`, key, ({ listening }) => listening.cpu.median))
    rows.push(bootRow(`… and of every route once`, key, ({ answered }) => answered.cpu.median))
    rows.push(bootRow(`RSS after that`, key, ({ answered }) => answered.rss))
  }
  const conduit = (name) => cell(ratioTo(application.operations['mixed'], name, ({ cpu }) => cpu.median))
  rows.push(['CPU per request of an application, mixed operations', '–', '–', conduit('alcove'), conduit('nest'), '–'])
  return table(['relative to Fastify', ...[...others, 'built'].map(titleOf)], rows)
}

function largestBoot({ cases }) {
  return String(Math.max(...Object.keys(cases).map((key) => Number.parseInt(key, 10))))
}

/** Beyond this part, a difference is not noise. */
const NOISE = 1.02
/** Latencies and memory vary more. */
const ROUGH = 1.1

/** More places of one kind are counted, and only the worst are named: the tables have all. */
const NAMED = 4

/**
 * For each kind of measurement in which alcove is worse than what it is compared with: a sentence that names the places with their ratios, the
 * worst first, and what it means for a reader.
 */
export function losses(results) {
  const { requests, sockets, boot, sizes, load, overload, application } = results
  const rows = [
    [
      requests,
      'CPU per request is above that of Fastify',
      () => requestLosses(requests),
      'A request of these workloads takes microseconds; a query of a database takes many times that.',
    ],
    [
      sockets,
      'Over sockets, CPU per request is more than 10 % above it',
      () => socketLosses(sockets),
      'It counts for servers whose handlers do almost nothing.',
    ],
    [
      requests,
      'Classes cost more than 3 % above the programmatic server',
      () => classLosses(requests),
      'A request-scoped instance is constructed for each request; other differences of this size are within the range of the runs.',
    ],
    [
      boot,
      'The boot takes more CPU than that of Fastify',
      () => bootLosses(boot, 'listening', ({ cpu }) => cpu.median, NOISE),
      'It counts for functions that start for a request, and for tests.',
    ],
    [
      boot,
      'The boot and every route once take more CPU',
      () => bootLosses(boot, 'answered', ({ cpu }) => cpu.median, NOISE),
      'It counts for functions that start for a request, and for tests.',
    ],
    [
      boot,
      'After that, the process takes more memory',
      () => bootLosses(boot, 'answered', ({ rss }) => rss, NOISE),
      'A container needs that much more room.',
    ],
    [
      sizes,
      'CPU is above that of Fastify at these sizes',
      () => sizeLosses(sizes),
      'It counts if most requests are like this. Large replies are better sent in pages or as a stream.',
    ],
    [sizes, 'CPU grows faster than the input, by these factors', () => growths(sizes), 'Limit the size of what is sent at once.'],
    [
      load,
      'At half of what Fastify can reach, latency is more than 10 % above it',
      () => loadLosses(load, (part) => part === '50'),
      'It counts for a server that is not overloaded.',
    ],
    [
      load,
      'At 80 and 100 % of that, latency is more than 10 % above that of Fastify',
      () => loadLosses(load, (part) => part !== '50'),
      'There requests wait for each other, and the same server differs by factors from run to run; the tables have the ranges.',
    ],
    [
      load,
      'The server reaches at least 10 % fewer requests per second',
      () => limitLosses(load),
      'Leave more room, or put a proxy with that transport in front.',
    ],
    [
      overload,
      'The server recovers from an overload in fewer than half as many runs, or answers more than 10 % fewer requests meanwhile',
      () => overloadLosses(overload),
      'Limit the number of requests that are served at a time.',
    ],
    [
      load,
      'A connection takes more than 10 % more heap',
      () => connectionLosses(load),
      'It counts for tens of thousands of connections that stay open.',
    ],
    [
      application,
      'An operation of the application takes more CPU than on Fastify',
      () => applicationLosses(application),
      'Read the row `mixed` first: it is the mixture that a server of such an application serves.',
    ],
    [
      application,
      'After all operations, the application takes more memory',
      () => memoryLosses(application),
      'A container needs that much more room.',
    ],
  ]
  const found = rows
    .filter(([{ conditions }]) => !conditions.isShort)
    .map(([, sentence, find, meaning]) => ({ sentence, places: find(), meaning }))
    .filter(({ places }) => places.length > 0)
    .map(({ sentence, places, meaning }) => `- ${sentence}: ${placesText(places)}. ${meaning}`)
  if (found.length === 0) found.push('In no row of the tables is alcove behind Fastify.')
  const short = Object.entries({ requests, sockets, boot, sizes, load, application }).flatMap(([name, { conditions }]) =>
    conditions.isShort ? name : [],
  )
  if (short.length > 0) found.push('', `Nothing is said of these parts, whose runs were too short: ${short.join(', ')}.`)
  return found.join('\n')
}

const labelOf = (workload, name) => `\`${workload}\`${name === 'classes' ? ' with classes' : ''}`
const place = (name, ratio) => ({ name, ratio })

function placesText(places) {
  const text = ({ name, ratio }) => (ratio === undefined ? name : `${name} (${decimals(ratio)})`)
  if (places.length <= NAMED) return places.map(text).join(', ')
  const worst = places.toSorted((one, other) => other.ratio - one.ratio).slice(0, NAMED)
  return `${worst.map(text).join(', ')}, and ${places.length - NAMED} more`
}

function requestLosses({ workloads }) {
  return Object.entries(workloads).flatMap(([workload, byServer]) =>
    ['alcove', 'classes']
      .filter((name) => byServer[name]?.ratio.median > NOISE)
      .map((name) => place(labelOf(workload, name), byServer[name].ratio.median)),
  )
}

function socketLosses({ workloads }) {
  return Object.entries(workloads).flatMap(([workload, byServer]) =>
    ['alcove', 'classes']
      .map((name) => [name, ratioTo(byServer, name, ({ cpu }) => cpu.median)])
      .filter(([, ratio]) => ratio > ROUGH)
      .map(([name, ratio]) => place(labelOf(workload, name), ratio)),
  )
}

function classLosses({ workloads }) {
  return Object.entries(workloads)
    .map(([workload, { classes, alcove }]) => [workload, classes && alcove && classes.ratio.median / alcove.ratio.median])
    .filter(([, ratio]) => ratio > 1.03)
    .map(([workload, ratio]) => place(`\`${workload}\``, ratio))
}

function bootLosses({ cases }, stage, read, limit) {
  return Object.entries(cases).flatMap(([key, byServer]) =>
    ['alcove', 'classes', 'built']
      .map((name) => [name, ratioTo(byServer, name, (result) => read(result[stage]))])
      .filter(([, ratio]) => ratio > limit)
      .map(([name, ratio]) => place(`${titleOf(name)} with ${key.replace(' ', ' routes of ')} schemas`, ratio)),
  )
}

function sizeLosses({ curves: found }) {
  return Object.entries(found).flatMap(([curve, bySize]) =>
    Object.entries(bySize)
      .filter(([, { alcove }]) => alcove.ratio.median > NOISE)
      .map(([size, { alcove }]) => place(`${size} ${curves[curve].title}`, alcove.ratio.median)),
  )
}

function growths({ curves: found }) {
  return Object.entries(found).flatMap(([curve, bySize]) => {
    const points = Object.entries(bySize).map(([size, { alcove }]) => [Number(size), alcove.cpu.median])
    return points
      .slice(1)
      .map(([size, cpu], index) => [size, cpu / points[index][1] / (size / points[index][0])])
      .filter(([, growth]) => growth > ROUGH)
      .map(([size, growth]) => place(`up to ${size} ${curves[curve].title}`, growth))
  })
}

function loadLosses({ transports: found }, isMeant) {
  return Object.entries(found).flatMap(([transport, { parts }]) =>
    Object.entries(parts)
      .filter(([part]) => isMeant(part))
      .flatMap(([part, byServer]) =>
        ['p50', 'p99', 'p999']
          .map((key) => [key, ratioTo(byServer, 'alcove', (result) => result[key].median)])
          .filter(([, ratio]) => ratio > ROUGH)
          .map(([key, ratio]) => place(`${key.replace('p999', 'p99.9')} at ${part} %, ${transports[transport].title}`, ratio)),
      ),
  )
}

function limitLosses({ transports: found }) {
  return Object.entries(found)
    .map(([transport, { limits }]) => [transports[transport].title, limits.fastify.median / limits.alcove.median])
    .filter(([, ratio]) => ratio >= ROUGH)
    .map(([title, ratio]) => place(title, 1 / ratio))
}

function overloadLosses({ servers: { fastify, alcove } }) {
  const found = []
  if (alcove.recovered * 2 < fastify.recovered)
    found.push(place(`it recovers in ${alcove.recovered} of ${alcove.runs} runs, Fastify in ${fastify.recovered}`))
  if (alcove.perSecond * ROUGH < fastify.perSecond) found.push(place('requests per second', alcove.perSecond / fastify.perSecond))
  return found
}

function connectionLosses({ connections }) {
  return Object.entries(connections)
    .map(([key, byServer]) => [key, ratioTo(byServer, 'alcove', ({ heap }) => heap)])
    .filter(([, ratio]) => ratio > ROUGH)
    .map(([key, ratio]) => place(key, ratio))
}

function applicationLosses({ operations }) {
  return Object.entries(operations)
    .map(([operation, byServer]) => [operation, ratioTo(byServer, 'alcove', ({ cpu }) => cpu.median)])
    .filter(([, ratio]) => ratio > NOISE)
    .map(([operation, ratio]) => place(`\`${operation}\``, ratio))
}

function memoryLosses({ memory }) {
  const ratio = ratioTo(memory, 'alcove', ({ loaded }) => loaded)
  return ratio > NOISE ? [place('Conduit', ratio)] : []
}

/** µs by stage of the workloads that were profiled. */
export function stagesTable({ profile, requests, sockets }) {
  const columns = Object.entries(profile.workloads).flatMap(([workload, byServer]) =>
    Object.entries(byServer).map(([name, times]) => ({ title: `${labelOf(workload, name)}, µs`, times })),
  )
  const stages = [...new Set(columns.flatMap(({ times }) => Object.keys(times)))]
  const rows = stages
    .map((stage) => [stage, ...columns.map(({ times }) => times[stage] ?? 0)])
    .filter(([, ...times]) => times.some((time) => time >= 0.05))
    .map(([stage, ...times]) => [stage, ...times.map((time) => time.toFixed(1))])
  const kernel = sockets.workloads['hello'].alcove.cpu.median - requests.workloads['hello'].alcove.cpu.median
  const { alcove, http } = requests.workloads['body']
  return [
    table(['stage', ...columns.map(({ title }) => title)], rows),
    `Without the profiler, a request of \`body\` takes ${alcove.cpu.median.toFixed(1)} µs; bare \`node:http\`, which checks little of it, takes`,
    `${http.cpu.median.toFixed(1)}. Over sockets, \`hello\` takes ${kernel.toFixed(1)} µs more: the work of the operating system.`,
  ]
    .join('\n\n')
    .replace('takes\n\n', 'takes\n')
}

export function buildTable({ boot }) {
  const largest = largestBoot(boot)
  const rows = Object.entries(boot.cases)
    .filter(([key]) => key.startsWith(largest))
    .flatMap(([key, byServer]) =>
      ['alcove', 'classes', 'built'].map((name) => [
        `${key.split(' ')[1]} schemas, ${titleOf(name)}`,
        ...[
          ({ listening }) => listening.cpu.median,
          ({ answered }) => answered.cpu.median,
          ({ listening }) => listening.rss,
          ({ answered }) => answered.rss,
        ].map((read) => decimals(ratioTo(byServer, name, read))),
      ]),
    )
  return table(
    [`${Number(largest).toLocaleString('en')} routes`, 'boot', 'boot and each route once', 'RSS after boot', 'RSS after each route once'],
    rows,
  )
}
