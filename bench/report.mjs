/** The tables of README.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem, type } from 'node:os'
import { workloads } from './workloads.mjs'

const BASE = 'fastify'
const titles = { http: 'node:http', fastify: 'Fastify', alcove: 'alcove', nest: 'NestJS on Fastify' }

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

const mebibytes = (bytes) => (bytes / 2 ** 20).toFixed(0)

/** The median, and what it lies between. */
function spread(values, digits) {
  const range = values.length === 1 ? '' : ` (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`
  return median(values).toFixed(digits) + range
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Relative to Fastify, of the same case. */
function ratio(byServer, name, read) {
  if (byServer[BASE] === undefined) return '–'
  return (median(byServer[name].map(read)) / median(byServer[BASE].map(read))).toFixed(2)
}

function inProcessTable(found, names) {
  const rows = [...found].map(([workload, byServer]) => [
    `\`${workload}\`: ${workloads[workload].title}`,
    ...names.map((name) => {
      if (byServer[name] === undefined) return '–'
      const relative = ratio(byServer, name, ({ cpu }) => cpu)
      return `${relative === '–' ? '' : `**${relative}** · `}${spread(
        byServer[name].map(({ cpu }) => cpu),
        1,
      )}`
    }),
  ])
  return table(['workload', ...names.map((name) => titles[name])], rows)
}

function socketsTable(found) {
  const rows = [...found].flatMap(([workload, byServer]) =>
    Object.entries(byServer).map(([name, results]) => {
      const all = (key) => results.map((result) => result[key])
      return [
        `\`${workload}\``,
        titles[name],
        ratio(byServer, name, ({ cpu }) => cpu),
        spread(all('cpu'), 1),
        spread(all('perSecond'), 0),
        median(all('p50')).toFixed(2),
        median(all('p99')).toFixed(2),
        mebibytes(median(all('rss'))),
      ]
    }),
  )
  return table(['workload', 'server', 'ratio', 'CPU per request, µs', 'requests/s', 'p50, ms', 'p99, ms', 'RSS, MiB'], rows)
}

function bootTable(found) {
  const rows = [...found].flatMap(([key, byServer]) =>
    Object.entries(byServer).map(([name, results]) => {
      const part = (stage) => [
        ratio(byServer, name, (result) => result[stage].cpu),
        spread(
          results.map((result) => result[stage].cpu),
          2,
        ),
        median(results.map((result) => result[stage].wall)).toFixed(2),
        mebibytes(median(results.map((result) => result[stage].rss))),
      ]
      return [key.replace('1000', '1,000'), titles[name], ...part('listening'), ...part('answered')]
    }),
  )
  const columns = ['ratio', 'CPU, s', 'wall, s', 'RSS, MiB']
  return table(['routes, schemas', 'server', ...columns, ...columns.map((name) => `… every route once: ${name}`)], rows)
}

function versionOf(file) {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).version
}

function conditions() {
  const [cpu] = cpus()
  const versions = ['fastify', '@nestjs/core', '@nestjs/platform-fastify', 'class-validator', 'class-transformer'].map(
    (name) => `${name} ${versionOf(`node_modules/${name}/package.json`)}`,
  )
  return [
    `${new Date().toISOString().slice(0, 10)}: ${cpu.model.trim()}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()},`,
    `Node ${process.versions.node}, alcove ${versionOf('../package.json')}, ${versions.join(', ')}.`,
  ].join(' ')
}

export function report({ inProcess, sockets, boot }, names) {
  const parts = [conditions()]
  if (inProcess !== undefined) {
    parts.push(
      '### CPU per request, without a network',
      '**Relative to Fastify** · µs (lowest–highest of the processes).',
      inProcessTable(inProcess, names),
    )
  }
  if (sockets !== undefined) parts.push('### Over sockets', socketsTable(sockets))
  if (boot !== undefined) parts.push('### Boot', bootTable(boot))
  return parts.join('\n\n')
}

export function writeReport(text) {
  const page = new URL('README.md', import.meta.url)
  const before = readFileSync(page, 'utf8')
  const after = before.replace(/(<!-- bench -->\n)[\s\S]*?(\n<!-- \/bench -->)/, (_found, start, end) => start + text + end)
  if (after === before) throw new Error('README.md has no place between <!-- bench --> and <!-- /bench -->.')
  writeFileSync(page, after)
}
