/** Applications as `alcove new` writes them, installed with the packed package. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a command; what it prints is returned, and shown if it fails. */
export function run(cwd, command, args, env = {}) {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  } catch (error) {
    console.error(`${command} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`)
    throw error
  }
}

/** Creates an application with the given options of `alcove new`, and installs it. `dispose` removes it. */
export function createApp(...options) {
  return install((folder) => run(folder, process.execPath, [join(root, 'dist/esm/cli.js'), 'new', 'app', ...options]))
}

/** Copies the last step of the tutorial, and installs it. */
export function copyTutorial() {
  const step = join(root, 'samples/tutorial/13-a-container')
  const isOwn = (path) => !/^(?:node_modules|dist|\.data)$/.test(relative(step, path))
  return install((folder) => cpSync(step, join(folder, 'app'), { recursive: true, filter: isOwn }))
}

/** @param write writes the folder `app` */
function install(write) {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-new-'))
  const app = join(folder, 'app')
  const dispose = () => rmSync(folder, { recursive: true, force: true })
  try {
    // Readable for the user of a container.
    chmodSync(folder, 0o755)
    run(root, 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder])
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
    write(folder)
    copyFileSync(join(folder, tarball), join(app, 'alcove.tgz'))
    const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
    manifest.dependencies.alcove = 'file:alcove.tgz'
    writeFileSync(join(app, 'package.json'), JSON.stringify(manifest))
    run(app, 'npm', ['install', '--silent', '--no-audit', '--no-fund'])
    return { folder, app, dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

/** ms from a change of a file until the server listens again under `npm run dev` */
export function msUntilRestart(app, change = () => appendFileSync(join(app, 'src/app.ts'), '\n')) {
  const dev = spawn('npm', ['run', 'dev'], {
    cwd: app,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(reject, new Error('npm run dev did not come up, or did not restart')), 180_000)
    let changedAt
    dev.stdout.on('data', (data) => {
      if (!String(data).includes('Server listening')) return
      if (changedAt !== undefined) return end(resolve, Math.round(performance.now() - changedAt))
      changedAt = performance.now()
      change()
    })
    function end(settle, value) {
      clearTimeout(timer)
      process.kill(-Number(dev.pid), 'SIGKILL')
      settle(value)
    }
  })
}

/** Returns the requests that a text shows with curl: path, body, status, and the body or the message of the reply. */
export function readCalls(text) {
  return [...text.matchAll(/^curl '?localhost:3000([^\s']+)'?(?: -H '.*?' -d '(.*?)')? +# (\d+) (.*)$/gm)]
}

/** Sends requests of {@link readCalls}, and compares the replies with those that are shown. */
export async function sendCalls(origin, calls) {
  for (const [, path, body, status, shown] of calls) {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const reply = await fetch(`${origin}${path}`, body === undefined ? {} : post)
    const text = await reply.text()
    assert.equal(reply.status, Number(status), text)
    assert.equal(reply.ok ? text : JSON.parse(text).message, shown)
  }
}

/** Returns the address that a server logs when it listens. */
export function originOf(server) {
  return new Promise((resolve, reject) => {
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    server.stdout.on('data', (data) => /Server listening at (http:\S+?)"/.exec(String(data))?.slice(1).forEach(resolve))
  })
}
