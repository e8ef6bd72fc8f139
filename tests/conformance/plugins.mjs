#!/usr/bin/env node
// Runs the test suites of seven plugins, as they are published, against dist/lib: every test must pass.
//   node tests/conformance/plugins.mjs
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const plugins = ['fastify-plugin', 'bearer-auth', 'cors', 'cookie', 'sensible', 'formbody', 'auth']
const project = fileURLToPath(new URL('../..', import.meta.url))
const harness = resolve(project, '../shared/conformance')

if (!existsSync(join(harness, 'run.mjs'))) {
  console.warn('\n*** PLUGIN SUITES NOT RUN: there is no harness in ../shared/conformance beside this repository. ***\n')
  process.exit(0)
}

const env = { ...process.env, CONF_HOME: process.env.CONF_HOME ?? join(tmpdir(), 'conformance') }
const options = [
  '--impl',
  join(project, 'dist/lib/index.js'),
  '--adapter',
  join(harness, 'adapters/alcove.cjs'),
  '--dialect',
  'jsv',
  '--err-prefix',
  'ALC_ERR_',
]

for (const plugin of plugins) {
  const suite = `plugin4:${plugin}`
  execFileSync(process.execPath, [join(harness, 'setup.mjs'), suite], { env, stdio: 'ignore' })
  const { stdout } = spawnSync(process.execPath, [join(harness, 'run.mjs'), '--suite', suite, '--verbose', ...options], {
    cwd: project,
    env,
    encoding: 'utf8',
  })
  const [, passed, all] = /^HEADLINE (\d+)\/(\d+)/m.exec(stdout) ?? []
  console.log(`${plugin}: ${passed} of ${all}`)
  if (passed === undefined || passed !== all) {
    console.error(stdout)
    process.exitCode = 1
  }
}
