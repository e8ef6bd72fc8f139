/**
 * The cost of a function of AWS Lambda that is bundled with its build: the start of a process up to its first reply, and the CPU time of an
 * invocation on a loaded function, for alcove beside `@fastify/aws-lambda` and Hono's adapter. Each in processes of its own, in turn. Prints a
 * table; `--write` writes it into docs/how-to/serverless.md. `node tests/runtimes/lambda.mjs` after `npm run build:all` and
 * `npm ci --prefix tests/runtimes`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { functionUrlEvent, httpApiEvent, loadBalancerEvent, restApiEvent } from '../../dist/tests/fixtures/lambda-events.js'
import { median } from '../../bench/stats.mjs'
import { makeBundles } from './bundles/build.mjs'
import { record } from './bundles/record.mjs'

const STARTS = 20

/** Measures one function in its process: prints ms of wall and of CPU up to the first reply, and ms of CPU of 95 % of 100 later invocations. */
const measure = `
const events = ${JSON.stringify([httpApiEvent, functionUrlEvent, restApiEvent, loadBalancerEvent])}
const { handle } = await import(process.argv[2])
const invoke = async (event) => {
  const { statusCode, body } = await handle(event, {})
  if (statusCode !== 200 || body !== '{"id":7,"name":"Ada"}') throw new Error('another reply: ' + body)
}
await invoke(events[0])
const wall = performance.now()
const { user, system } = process.cpuUsage()
const times = []
for (let index = 0; index < 100; index++) {
  // The runtime interface hands over an event as an object of its own.
  const event = structuredClone(events[index % events.length])
  const start = process.cpuUsage()
  await invoke(event)
  const used = process.cpuUsage(start)
  times.push((used.user + used.system) / 1000)
}
times.sort((a, b) => a - b)
console.log(JSON.stringify([wall, (user + system) / 1000, times[49], times[94], times[99]]))
process.exit()`

const folder = mkdtempSync(join(tmpdir(), 'alcove-lambda-'))
try {
  const bundles = (await makeBundles(folder, (runtime) => runtime === 'lambda')).map((bundle) => ({ ...bundle, runs: [] }))
  writeFileSync(join(folder, 'measure.mjs'), measure)
  for (let start = 0; start < STARTS; start++) {
    for (const { file, runs } of bundles) {
      const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'measure.mjs'), file], { encoding: 'utf8' })
      if (stdout === '') throw new Error(stderr)
      runs.push(JSON.parse(stdout))
    }
  }
  record(
    'docs/how-to/serverless.md',
    'lambda',
    ['@fastify/aws-lambda', 'fastify', 'hono', 'zod'],
    [
      ['function', 'ms to the first reply', 'ms of CPU to the first reply', 'ms of CPU of an invocation: median of 100', 'p95', 'most'],
      ...bundles.map(({ framework, runs }) => {
        const [wall, cpu, ...times] = [0, 1, 2, 3, 4].map((index) => median(runs.map((run) => run[index])))
        return [framework, Math.round(wall), Math.round(cpu), ...times.map((time) => time.toFixed(2))]
      }),
    ],
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit()
