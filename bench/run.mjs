/**
 * `npm run bench -- [--quick] [--only hello,body] [--servers alcove,fastify] [--runs N]`: alcove beside bare node:http, Fastify and
 * NestJS, each measurement in a process of its own, the servers in turn.
 */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkBehaviour } from './check.mjs'
import { serverNames } from './servers.mjs'
import { workloads } from './workloads.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

/** Decorated servers import `alcove` by its name, as an application does, and are compiled. */
function prepare() {
  rmSync(join(here, 'node_modules/alcove'), { force: true, recursive: true })
  symlinkSync(join(here, '..'), join(here, 'node_modules/alcove'), 'junction')
  execFileSync(process.execPath, [join(here, '../node_modules/typescript/bin/tsc'), '-p', here], { stdio: 'inherit' })
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(workloads).join() },
    servers: { type: 'string', default: serverNames.join() },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const names = values.servers.split(',')
const chosen = values.only.split(',')
const runs = Number(values.runs ?? (values.quick ? 1 : 3))
const env = { ...process.env, NODE_ENV: 'production' }

function start(...args) {
  return fork(join(here, 'process.mjs'), args, { env })
}

async function message(child) {
  const [answer] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${code}`)
    }),
  ])
  return answer
}

const median = (sorted) =>
  sorted.length % 2 === 1 ? sorted[(sorted.length - 1) / 2] : (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2
const summary = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return { median: median(sorted), min: sorted[0], max: sorted.at(-1) }
}

prepare()
for (const workload of chosen) {
  const children = Object.fromEntries(names.map((name) => [name, start('sockets', name, workload)]))
  const ports = {}
  for (const name of names) ports[name] = (await message(children[name])).port
  await checkBehaviour(workload, ports)
  for (const child of Object.values(children)) child.disconnect()
}
console.error('Behaviour: equal')

const found = {}
for (let run = 0; run < runs; run++) {
  for (const workload of chosen) {
    for (let at = 0; at < names.length; at++) {
      const name = names[(at + run) % names.length]
      const { rounds } = await message(start('in-process', name, workload))
      ;((found[workload] ??= {})[name] ??= []).push(median(rounds.toSorted((a, b) => a - b)))
    }
  }
}
for (const [workload, byServer] of Object.entries(found)) {
  const base = median((byServer.fastify ?? byServer[names[0]]).toSorted((a, b) => a - b))
  for (const name of names) {
    const { median, min, max } = summary(byServer[name])
    console.log(
      workload.padEnd(10),
      name.padEnd(10),
      `${median.toFixed(2)} µs (${min.toFixed(2)}–${max.toFixed(2)})`.padEnd(30),
      (median / base).toFixed(2),
    )
  }
}
