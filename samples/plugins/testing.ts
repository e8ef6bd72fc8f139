/** What several tests of this package need: an application that listens, and a Redis. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { bootstrap, type Class } from 'alcove'

export type Ask = (path: string, init?: RequestInit) => Promise<Response>

export async function listen(App: Class, use: (ask: Ask) => Promise<void>): Promise<void> {
  const server = await bootstrap(App, { closeIdleDelay: 0 })
  try {
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    await use((path, init) => fetch(origin + path, init))
  } finally {
    await server.close()
  }
}

export const noRedis = spawnSync('redis-server', ['--version']).status !== 0 && "Debian's redis-server is not installed"

/** Runs a Redis, whose URL is in the variable REDIS_URL meanwhile. */
export async function withRedis(use: () => Promise<void>): Promise<void> {
  const port = await freePort()
  const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'])
  try {
    for await (const text of redis.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) if (/Ready to accept/.test(text)) break
    redis.stdout.resume()
    process.env['REDIS_URL'] = `redis://127.0.0.1:${port}`
    await use()
  } finally {
    redis.kill('SIGKILL')
    await once(redis, 'exit')
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
