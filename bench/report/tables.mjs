/** The tables of bench/README.md, each from its part of the results. */
import { curves } from '../curves.mjs'
import { parts } from '../parts.mjs'
import { transports } from '../transports.mjs'
import { workloads } from '../workloads.mjs'
import { decimals, grouped, mebibytes, ratioTo, spread, table, titleOf } from './format.mjs'

export function requestsTable({ workloads: found }) {
  const names = [...new Set(Object.values(found).flatMap(Object.keys))]
  const order = Object.keys(found['hello'] ?? Object.values(found)[0])
  names.sort((a, b) => order.indexOf(a) - order.indexOf(b))
  const rows = Object.entries(found).map(([workload, byServer]) => [
    `\`${workload}\`: ${workloads[workload].title}`,
    ...names.map((name) => {
      if (byServer[name] === undefined) return '–'
      const { cpu, ratio } = byServer[name]
      return byServer['fastify'] === undefined ? cpu.median.toFixed(1) : `**${spread(ratio, 2)}** · ${cpu.median.toFixed(1)}`
    }),
  ])
  return table(['workload', ...names.map(titleOf)], rows)
}

export function socketsTable({ workloads: found }) {
  const rows = Object.entries(found).flatMap(([workload, byServer]) =>
    Object.entries(byServer).map(([name, { cpu, perSecond, p50, p99, rss }]) => [
      `\`${workload}\``,
      titleOf(name),
      decimals(ratioTo(byServer, name, (result) => result.cpu.median)),
      spread(cpu, 1),
      spread(perSecond, 0),
      p50.toFixed(2),
      p99.toFixed(2),
      mebibytes(rss),
    ]),
  )
  return table(['workload', 'server', 'ratio', 'CPU per request, µs', 'requests/s', 'p50, ms', 'p99, ms', 'RSS, MiB'], rows)
}

/** CPU per request of Fastify's, by line of Node. */
export function linesTable({ nodes }) {
  const rows = Object.entries(nodes).flatMap(([version, found]) =>
    ['alcove', 'classes'].flatMap((name) =>
      ['inProcess', 'sockets'].map((way) => [
        `Node ${version}`,
        titleOf(name),
        way === 'sockets' ? 'over sockets' : 'without a network',
        ...Object.values(found).map((byServer) => decimals(way === 'sockets' ? byServer[name].sockets : byServer[name].inProcess.median)),
      ]),
    ),
  )
  const [first] = Object.values(nodes)
  return table(['', '', '', ...Object.keys(first).map((workload) => `\`${workload}\``)], rows)
}

/** CPU per request of the plain route's. */
export function partsTable({ parts: found }) {
  return table(
    ['beside the route, or in it', 'ratio to the plain route', 'µs'],
    Object.entries(found).map(([part, { ratio, cpu }]) => [parts[part], spread(ratio, 2), cpu.median.toFixed(1)]),
  )
}

/** CPU per request of Fastify's, without a network, by commit. */
export function historyTable({ commits }) {
  const names = Object.keys(commits[0].workloads)
  const rows = commits.map(({ commit, date, workloads: found }) => [
    date.slice(0, 10),
    `\`${commit}\``,
    ...names.map((name) => spread(found[name], 2)),
  ])
  return table(['', 'commit', ...names.map((name) => `\`${name}\``)], rows)
}

export function bootTable({ cases }) {
  const rows = Object.entries(cases).flatMap(([key, byServer]) =>
    Object.entries(byServer).map(([name, result]) => {
      const part = (stage) => [
        decimals(ratioTo(byServer, name, (other) => other[stage].cpu.median)),
        spread(result[stage].cpu, 2),
        result[stage].wall.toFixed(2),
        mebibytes(result[stage].rss),
        decimals(ratioTo(byServer, name, (other) => other[stage].rss)),
      ]
      return [key.replace('1000', '1,000'), titleOf(name), ...part('listening'), ...part('answered')]
    }),
  )
  const columns = ['ratio', 'CPU, s', 'wall, s', 'RSS, MiB', 'ratio of RSS']
  return table(['routes, schemas', 'server', ...columns, ...columns.map((name) => `… every route once: ${name}`)], rows)
}

export function sizesTable({ curves: found }) {
  const rows = Object.entries(found).flatMap(([curve, bySize]) =>
    Object.entries(bySize).map(([size, { fastify, alcove }], index) => {
      const before = Object.entries(bySize)[index - 1]
      const growth =
        before === undefined
          ? ''
          : `× ${(alcove.cpu.median / before[1].alcove.cpu.median).toFixed(1)} for × ${(size / before[0]).toFixed(1)}`
      return [
        index === 0 ? curves[curve].title : '',
        grouped(size),
        spread(alcove.ratio, 2),
        fastify.cpu.median.toFixed(1),
        alcove.cpu.median.toFixed(1),
        growth,
        mebibytes(fastify.rss),
        mebibytes(alcove.rss),
      ]
    }),
  )
  return table(['what', 'size', 'ratio', 'Fastify, µs', 'alcove, µs', 'growth', 'Fastify, RSS in MiB', 'alcove, RSS in MiB'], rows)
}

function latencyTable(found) {
  const rows = Object.entries(found).flatMap(([transport, { limits, parts }]) =>
    Object.entries(parts).flatMap(([part, byServer]) =>
      Object.entries(byServer).map(([name, { p50, p99, p999, cpu, rss, late }]) => [
        transports[transport].title,
        `${part} %: ${grouped((limits['fastify'].median * part) / 100)}/s`,
        titleOf(name),
        spread(p50, 2),
        spread(p99, 2),
        spread(p999, 2),
        spread(cpu, 1),
        mebibytes(rss),
        late.toFixed(2),
      ]),
    ),
  )
  return table(
    ['connections', 'load', 'server', 'p50, ms', 'p99, ms', 'p99.9, ms', 'CPU per request, µs', 'RSS, MiB', 'generator late (p99), ms'],
    rows,
  )
}

function limitsTable(found) {
  const rows = Object.entries(found).map(([transport, { limits, generatorLimit }]) => [
    transports[transport].title,
    spread(limits['fastify'], 0),
    spread(limits['alcove'], 0),
    generatorLimit.toFixed(0),
  ])
  return table(['requests/s at most', 'Fastify', 'alcove', 'the generator'], rows)
}

function connectionsTable(found) {
  const rows = Object.entries(found).flatMap(([key, byServer]) =>
    Object.entries(byServer).map(([name, { heap, rss }]) => [key, titleOf(name), (heap / 1024).toFixed(1), (rss / 1024).toFixed(1)]),
  )
  return table(['connection', 'server', 'heap, KiB', 'RSS, KiB'], rows)
}

export function overloadTable({ times, seconds, limit, recoveredAt, servers }) {
  const rows = Object.entries(servers).map(([name, { answered, perSecond, runs, recovered, recovery, rss }]) => [
    titleOf(name),
    `${(answered * 100).toFixed(0)} %`,
    grouped(perSecond),
    `${recovered} of ${runs}`,
    recovery === null ? '–' : recovery.toFixed(1),
    mebibytes(rss),
  ])
  return [
    `${grouped(limit * times)} requests per second for ${seconds} s, ${times} times what Fastify can answer, then ${grouped(limit / 2)}:`,
    table(
      [
        'server',
        'answered within a second',
        'of them per second',
        'runs that recovered',
        `s until p99 ≤ ${recoveredAt.p99} ms in these`,
        'RSS after it, MiB',
      ],
      rows,
    ),
  ].join('\n\n')
}

export function loadTables({ transports: found, connections }) {
  return [latencyTable(found), limitsTable(found), '**Memory of a connection**', connectionsTable(connections)].join('\n\n')
}

export function applicationTable({ operations, memory }) {
  const rows = Object.entries(operations).flatMap(([operation, byServer]) =>
    Object.entries(byServer).map(([name, { cpu, perSecond, p50, p99 }]) => [
      `\`${operation}\``,
      applicationTitles[name],
      decimals(ratioTo(byServer, name, (result) => result.cpu.median)),
      spread(cpu, 0),
      spread(perSecond, 0),
      p50.toFixed(1),
      p99.toFixed(1),
    ]),
  )
  const rss = Object.entries(memory).map(([name, { started, loaded }]) => [
    applicationTitles[name],
    mebibytes(started),
    mebibytes(loaded),
    decimals(loaded / memory['fastify'].loaded),
  ])
  return [
    table(['operation', 'server', 'ratio', 'CPU per request, µs', 'requests/s', 'p50, ms', 'p99, ms'], rows),
    table(['server', 'RSS after the start, MiB', 'RSS after all operations, MiB', 'ratio'], rss),
  ].join('\n\n')
}

export const applicationTitles = { fastify: 'Fastify', alcove: 'alcove', nest: 'NestJS on Fastify' }

export function wiringTable({ rows }) {
  return table(
    ['providers', 'plugins', 'check(), ms', 'µs per provider', 'allocated, MiB', 'KiB per provider'],
    rows.map(({ providers, plugins, time, size }) => [
      providers,
      plugins,
      time.toFixed(1),
      ((time * 1000) / providers).toFixed(1),
      size.toFixed(2),
      ((size * 1024) / providers).toFixed(2),
    ]),
  )
}

export function fetchTable({ nodes }) {
  return table(
    ['Node', 'workload', '`server.fetch`', '`server.inject`', 'Hono', 'of which `new Request`'],
    Object.entries(nodes).flatMap(([node, workloads]) =>
      Object.entries(workloads).map(([name, ways]) => [
        node,
        `\`${name}\``,
        ...['fetch', 'inject', 'hono', 'request'].map((way) => spread(ways[way], 1)),
      ]),
    ),
  )
}
