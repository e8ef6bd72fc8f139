/** Images of created applications: built by the replay of a Dockerfile, and started with nothing but their own environment. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { run } from './created-app.mjs'
import { replay } from './replay-dockerfile.mjs'

/** Does what the Dockerfile of an application says, in folders below `folder`. */
export function buildImage(app, folder) {
  const dockerfile = join(folder, 'Dockerfile')
  const text = readFileSync(join(app, 'Dockerfile'), 'utf8')
  // alcove is packed here, so the install needs its file beside the manifest.
  writeFileSync(dockerfile, text.replace('COPY package.json package-lock.json ./', 'COPY package.json package-lock.json alcove.tgz ./'))
  const stages = join(folder, 'stages')
  run(folder, 'mkdir', ['stages'])
  const image = replay(dockerfile, app, stages)
  assert.deepEqual([image.image, image.user, image.port, image.stopSignal], ['node:24-slim', 'node', 3000, 'SIGTERM'])
  assert.deepEqual(readdirSync(image.directory).sort(), ['dist', 'migrations', 'node_modules', 'package.json'])
  const compiled = readdirSync(join(image.directory, 'dist'), { recursive: true })
  assert.deepEqual(
    compiled.filter((file) => file.includes('test')),
    [],
  )
  assert.ok(!existsSync(join(image.directory, 'node_modules/typescript')), 'the compiler is not in the image')
  return image
}

/** The address of a database that a container may write: a folder below `folder`. */
export function writableDatabase(folder) {
  const data = mkdtempSync(join(folder, 'data-'))
  chmodSync(data, 0o777)
  return `pglite:${join(data, 'data')}`
}

/** Starts the command of the image with nothing but its own environment, as a user who may write nowhere. */
export async function start({ command, healthCheck, directory, env }, url, variables = {}) {
  const port = String(await freePort())
  const own = { ...env, HOST: '127.0.0.1', PORT: port, DATABASE_URL: url, JWT_SECRET: 'x'.repeat(32), ...variables }
  const options = { cwd: directory, env: own, ...(process.getuid() === 0 && { uid: 1000, gid: 1000 }) }
  const [program, ...args] = command
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
  const origin = `http://127.0.0.1:${port}`
  const isHealthy = () => spawnSync(healthCheck[0], healthCheck.slice(1), options).status === 0
  const end = performance.now() + 180_000
  while (!isHealthy()) {
    assert.ok(child.exitCode === null && performance.now() < end, output)
    await wait(100)
  }
  return { child, origin, output: () => output, exit: once(child, 'exit') }
}

export async function stop({ child, exit, output }) {
  child.kill('SIGTERM')
  const [code] = await exit
  assert.equal(code, 0, output())
  assert.ok(!output().includes('a long password') && !/Bearer [\w-]+\./.test(output()), 'the log has no secrets')
}

/** Sends JSON. */
export function sender(origin) {
  return async (method, path, body, token) => {
    const response = await fetch(origin + path, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    return { status: response.status, type, body: type.includes('json') ? JSON.parse(text) : text }
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
