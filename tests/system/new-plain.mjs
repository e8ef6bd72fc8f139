// `alcove new --plain`: on each line of Node that runs TypeScript, the app passes its tests and its check, starts and answers as its README shows.
// An older line refuses it in words.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp, run, originOf, readCalls, sendCalls } from './created-app.mjs'

const nodeOf = (line) => run('.', 'npx', ['-y', '-p', `node@${line}`, 'node', '-p', 'process.execPath']).trim()

const { app, dispose } = createApp('--plain')
const { scripts } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
const cli = join(app, 'node_modules/alcove/dist/esm/cli.js')
const testPattern = /"(.+)"/.exec(scripts.test)[1]
assert.equal(scripts.test, `node --test "${testPattern}"`)
assert.equal(scripts.start, 'node src/main.ts')
try {
  run(app, 'npm', ['run', 'types'])
  for (const line of ['22.18', '24', '26']) {
    const node = nodeOf(line)
    assert.match(run(app, node, ['--test', testPattern]), /pass 4\b/)
    assert.match(run(app, node, [cli, 'check', 'src/app.ts']), /The wiring of App is correct/)
    console.log(
      `alcove new --plain on Node ${line}: 4 tests, the check, ${await answersOf(node)} calls have the answers that its README shows`,
    )
  }
  const old = nodeOf('20')
  const refused = spawnSync(old, [cli, 'check', 'src/app.ts'], { cwd: app, encoding: 'utf8' })
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /is a TypeScript file, which Node 20\.\S+ does not run. Use Node 24 or newer, or 22 from 22.18 on/)
  assert.notEqual(spawnSync(old, ['--test', testPattern], { cwd: app }).status, 0, 'tests that do not run do not pass')
} finally {
  dispose()
}

/** Sends the requests of the README to the application that `node` starts. Returns how many there are. */
async function answersOf(node) {
  const calls = readCalls(readFileSync(join(app, 'README.md'), 'utf8'))
  assert.equal(calls.length, 3)
  const server = spawn(node, ['src/main.ts'], { cwd: app, env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const origin = await originOf(server)
    await sendCalls(origin, calls)
    return calls.length
  } finally {
    server.removeAllListeners('exit')
    server.kill()
  }
}
