// `alcove new`: the app that it writes installs, passes its test and its check, and restarts when a file changes.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'alcove-new-'))
const app = join(folder, 'app')
const run = (cwd, command, ...args) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

try {
  run(root, 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder)
  const [tarball] = readdirSync(folder)
  run(folder, process.execPath, join(root, 'dist/decorators/cli.js'), 'new', 'app')
  const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
  manifest.dependencies.alcove = `file:../${tarball}`
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest))
  run(app, 'npm', 'install', '--silent', '--no-audit', '--no-fund')
  assert.match(run(app, 'npm', 'test'), /pass 2\b/)
  assert.match(run(app, 'npm', 'run', 'check'), /The wiring of App is correct/)
  console.log(`alcove new: the app installs and passes its test; a change is served after ${await restart()} ms`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** ms from a change of a file until the server listens again under `npm run dev` */
function restart() {
  const dev = spawn('npm', ['run', 'dev'], {
    cwd: app,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(reject, new Error('npm run dev did not come up, or did not restart')), 30_000)
    let changedAt
    dev.stdout.on('data', (data) => {
      if (!String(data).includes('Server listening')) return
      if (changedAt !== undefined) return end(resolve, Math.round(performance.now() - changedAt))
      changedAt = performance.now()
      appendFileSync(join(app, 'src/app.ts'), '\n')
    })
    function end(settle, value) {
      clearTimeout(timer)
      process.kill(-Number(dev.pid), 'SIGKILL')
      settle(value)
    }
  })
}
