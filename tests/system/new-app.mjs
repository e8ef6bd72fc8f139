// `alcove new`: the app that it writes installs, passes its test and its check, and restarts when a file changes. Then docs/start/quick-start.md
// is followed in it to its end.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp, msUntilRestart, run, originOf, readCalls, sendCalls } from './created-app.mjs'

const startedAt = performance.now()
const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0)

const { app, dispose } = createApp()
try {
  assert.match(run(app, 'npm', ['test']), /pass 2\b/)
  const firstTest = seconds()
  assert.match(run(app, 'npm', ['run', 'check']), /The wiring of App is correct/)
  console.log(`alcove new: the app installs and passes its test; a change is served after ${await msUntilRestart(app)} ms`)

  const page = readFileSync(new URL('../../docs/start/quick-start.md', import.meta.url), 'utf8')
  const [beforeCode, afterCode] = page.split('## Write two routes')
  const firstCalls = await answersOf(beforeCode)
  const [source, itsTest] = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code)
  writeFileSync(join(app, 'src/app.ts'), source)
  writeFileSync(join(app, 'src/app.test.ts'), itsTest)
  assert.match(run(app, 'npm', ['test']), /pass 1\b/)
  const calls = firstCalls + (await answersOf(afterCode))
  console.log(`The quick start: ${firstTest} s until its first test is green; ${calls} calls have the answers that it shows`)
} finally {
  dispose()
}

/**
 * Sends the requests of a part of the page to the application, and compares the answers. The page of the documentation and its document are there
 * too. Returns how many requests the part has.
 */
async function answersOf(part) {
  const calls = readCalls(part)
  assert.ok(calls.length > 0)
  assert.equal(calls.length, part.match(/^curl /gm).length)
  const server = spawn(process.execPath, ['dist/main.js'], {
    cwd: app,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const origin = await originOf(server)
    await sendCalls(origin, calls)
    assert.match(await (await fetch(`${origin}/docs`)).text(), /swagger-ui-bundle\.js/)
    const { paths } = await (await fetch(`${origin}/docs/openapi.json`)).json()
    for (const [, path] of calls.filter(([, , , status]) => status < 300))
      assert.ok(
        Object.keys(paths).some((known) => new RegExp(`^${known.replaceAll(/\{.*?\}/g, '[^/]+')}$`).test(path)),
        path,
      )
    return calls.length
  } finally {
    server.removeAllListeners('exit')
    server.kill()
  }
}
