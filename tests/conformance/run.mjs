#!/usr/bin/env node
// Runs the foreign test suite of ../shared/conformance against dist/lib.
//   node tests/conformance/run.mjs [--floor floor.json] [options of the harness, such as --topic hooks --verbose]
// With --floor it fails when a class of tests passes fewer than the floor says.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../..', import.meta.url))
const harness = resolve(project, '../shared/conformance')
const suite = 'fastify4'

const args = process.argv.slice(2)
const floorAt = args.indexOf('--floor')
const floorFile = floorAt === -1 ? undefined : args.splice(floorAt, 2)[1]
if (floorAt !== -1 && floorFile === undefined) {
  console.error('--floor needs a file')
  process.exit(2)
}
const floor = floorFile && JSON.parse(readFileSync(resolve(floorFile), 'utf8'))

if (!existsSync(join(harness, 'run.mjs'))) {
  console.warn('\n*** CONFORMANCE NOT RUN: there is no harness in ../shared/conformance beside this repository. ***\n')
  process.exit(0)
}

const home = process.env.CONF_HOME ?? join(tmpdir(), 'conformance')
const env = { ...process.env, CONF_HOME: home }
if (!existsSync(join(home, 'roots', suite, 'node_modules/fastify'))) {
  execFileSync(process.execPath, [join(harness, 'setup.mjs'), suite], { env, stdio: 'inherit' })
}

const folder = mkdtempSync(join(tmpdir(), 'alcove-conformance-'))
try {
  // An option given twice counts as it was given last: the caller's own come at the end.
  const out = join(folder, 'results.json')
  const options = {
    suite,
    impl: './dist/lib/index.js',
    adapter: join(harness, 'adapters/alcove.cjs'),
    dialect: 'jsv',
    'err-prefix': 'ALC_ERR_',
    out,
  }
  const run = spawnSync(
    process.execPath,
    [join(harness, 'run.mjs'), ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]), ...args],
    { cwd: project, env, stdio: 'inherit' },
  )
  process.exitCode = run.status ?? 1
  if (process.exitCode === 0 && floor) {
    const ownOut = args.lastIndexOf('--out')
    compareWithFloor(JSON.parse(readFileSync(ownOut === -1 ? out : resolve(project, args[ownOut + 1]), 'utf8')).summary)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function compareWithFloor(summary) {
  for (const [name, least] of Object.entries(floor)) {
    const { passed = 0, counted = 0 } = summary.class?.[name] ?? {}
    const low = passed < least
    console.log(`${low ? 'BELOW THE FLOOR' : 'ok'}: ${name} passes ${passed} of ${counted}, the floor is ${least}`)
    if (low) process.exitCode = 1
  }
}
