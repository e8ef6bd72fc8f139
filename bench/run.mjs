/**
 * alcove beside bare node:http, Fastify and NestJS: each measurement in a process of its own, the servers in turn, so that what else
 * the machine does falls on all. Without options it measures everything and writes the tables of README.md.
 */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkBehaviour } from './check.mjs'
import { printProfile } from './profile.mjs'
import { median, report, writeReport } from './report.mjs'
import { serverNames } from './servers.mjs'
import { workloads } from './workloads.mjs'

const usage = `npm run bench -- [options]
  --only hello,body          workloads; of ${Object.keys(workloads).join(', ')}
  --servers alcove,fastify   of ${serverNames.join(', ')}
  --runs N                   processes for each server and workload
  --quick                    one short run of each, sockets and boot only in part
  --boot                     only the boot
  --no-write                 leaves README.md alone, as every option above does
  --profile hello            where the CPU of one workload goes, for the first of --servers; default alcove`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    servers: { type: 'string' },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    boot: { type: 'boolean', default: false },
    'no-write': { type: 'boolean', default: false },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

function choose(given, known) {
  const chosen = given?.split(',') ?? known
  const unknown = chosen.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}; there are ${known.join(', ')}.`)
  return chosen
}

const chosen = choose(values.only, Object.keys(workloads))
const names = choose(values.servers, serverNames)
const { quick } = values
const runsOf = (usual) => Number(values.runs ?? (quick ? 1 : usual))
const serversOf = (workload) => names.filter((name) => workloads[workload].servers?.includes(name) ?? true)
const here = fileURLToPath(new URL('.', import.meta.url))
const env = { ...process.env, NODE_ENV: 'production' }

/** The server of alcove imports it by its name, as an application does. */
function prepare() {
  rmSync(join(here, 'node_modules/alcove'), { force: true, recursive: true })
  symlinkSync(join(here, '..'), join(here, 'node_modules/alcove'), 'junction')
  execFileSync(process.execPath, [join(here, '../node_modules/typescript/bin/tsc'), '-p', here], { stdio: 'inherit' })
}

/** A process and the answer to its start. */
async function start(file, ...args) {
  const child = fork(join(here, file), args.map(String), { env })
  return { child, first: await message(child) }
}

async function message(child) {
  const over = new AbortController()
  try {
    return await Promise.race([
      once(child, 'message', over).then(([answer]) => answer),
      once(child, 'exit', over).then(([code]) => {
        throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${code}`)
      }),
    ])
  } finally {
    over.abort()
  }
}

async function stop(...children) {
  await Promise.all(
    children.map((child) => {
      const exited = once(child, 'exit')
      child.disconnect()
      return exited
    }),
  )
}

function ask(child, question) {
  const answer = message(child)
  child.send(question)
  return answer
}

/** Calls `measure` for each case, run after run, each time with another server first; gives the results by case and server. */
async function inTurn(cases, measure) {
  const found = new Map(cases.map(({ key, servers }) => [key, Object.fromEntries(servers.map((name) => [name, []]))]))
  const most = Math.max(...cases.map(({ runs }) => runs))
  for (let run = 0; run < most; run++) {
    for (const { key, servers, runs } of cases) {
      if (run >= runs) continue
      for (let at = 0; at < servers.length; at++) {
        const name = servers[(at + run) % servers.length]
        found.get(key)[name].push(await measure(name, key))
      }
    }
    console.error(`  run ${run + 1} of ${most}`)
  }
  return found
}

async function checkAll() {
  console.error('behaviour')
  for (const workload of chosen) {
    const started = await Promise.all(
      serversOf(workload).map(async (name) => [name, await start('process.mjs', 'sockets', name, workload)]),
    )
    await checkBehaviour(workload, Object.fromEntries(started.map(([name, { first }]) => [name, first])))
    await stop(...started.map(([, { child }]) => child))
  }
}

function measureInProcess() {
  console.error('in process')
  const [warmUp, roundSeconds] = quick ? [0.3, 0.1] : [0.7, 0.2]
  const cases = chosen.map((key) => ({ key, servers: serversOf(key), runs: runsOf(3) }))
  return inTurn(cases, async (name, workload) => {
    const { child, first } = await start('process.mjs', 'in-process', name, workload, warmUp, roundSeconds)
    await stop(child)
    return { cpu: median(first) }
  })
}

function measureSockets() {
  console.error('over sockets')
  const warmUp = { seconds: 0.4, requests: 15_000 }
  const seconds = quick ? 0.3 : 0.7
  const cases = chosen
    .filter((key) => !quick || values.only !== undefined || key === 'hello')
    .map((key) => ({ key, servers: serversOf(key), runs: runsOf(2) }))
  return inTurn(cases, async (name, workload) => {
    const server = await start('process.mjs', 'sockets', name, workload)
    const load = await start('load.mjs', server.first, workload)
    await ask(load.child, warmUp)
    const before = await ask(server.child, 'usage')
    const { answered, ...rest } = await ask(load.child, { seconds })
    const after = await ask(server.child, 'usage')
    await stop(load.child, server.child)
    return { ...rest, cpu: ((after.cpu - before.cpu) * 1e6) / answered, rss: after.rss }
  })
}

function measureBoot() {
  console.error('boot')
  const cases = (quick && !values.boot ? [10, 100] : [10, 100, 1000]).flatMap((count) =>
    (quick ? ['distinct'] : ['distinct', 'equal']).map((kind) => ({
      key: `${count} ${kind}`,
      servers: names,
      runs: runsOf(count === 1000 ? 2 : 3),
    })),
  )
  return inTurn(cases, async (name, key) => {
    const { child, first } = await start('process.mjs', 'boot', name, ...key.split(' '))
    await stop(child)
    return first
  })
}

if (values.help) console.log(usage)
else {
  prepare()
  if (values.profile !== undefined) {
    choose(values.profile, Object.keys(workloads))
    const [name] = values.servers === undefined ? ['alcove'] : names
    const { child, first } = await start('process.mjs', 'profile', name, values.profile)
    await stop(child)
    printProfile(first)
  } else {
    const tables = {}
    if (!values.boot) {
      await checkAll()
      tables.inProcess = await measureInProcess()
      tables.sockets = await measureSockets()
    }
    if (values.boot || values.only === undefined) tables.boot = await measureBoot()
    const text = report(tables, names)
    console.log(text)
    const isPartial = quick || values.boot || values.only !== undefined || values.servers !== undefined || values.runs !== undefined
    if (!isPartial && !values['no-write']) writeReport(text)
  }
}
