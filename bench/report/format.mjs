/** Numbers and tables in Markdown. */
import { servers } from '../servers.mjs'

export const titleOf = (name) => servers[name]?.title ?? name

export const mebibytes = (bytes) => (bytes / 2 ** 20).toFixed(0)

export const grouped = (number) => Math.round(number).toLocaleString('en')

/** The median, and between what it lies. */
export function spread({ median, low, high }, digits) {
  const [from, to] = [low.toFixed(digits), high.toFixed(digits)]
  return median.toFixed(digits) + (from === to ? '' : ` (${from}–${to})`)
}

export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Of a value to that of Fastify in the same case. */
export function ratioTo(byServer, name, read, base = 'fastify') {
  return byServer[base] === undefined || byServer[name] === undefined ? undefined : read(byServer[name]) / read(byServer[base])
}

export const decimals = (number, digits = 2) => (number === undefined ? '–' : number.toFixed(digits))
