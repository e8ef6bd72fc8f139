/** Runs the application on the server that the argument names, and prints its answers. */
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { createApp } from './app.js'
import { type Asked, requests } from './requests.js'

const views = fileURLToPath(new URL('views', import.meta.url))
/** They differ from one moment to the next. */
const volatile = new Set(['date', 'last-modified', 'etag'])

type FastifyAdapterServer = ConstructorParameters<typeof FastifyAdapter>[0]

interface Answer {
  readonly status: number | undefined
  readonly headers: string[]
  readonly body: string
}

function ask(port: number, { method = 'GET', path, headers = {}, body }: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const asked = request({ port, method, path, headers: { ...length, ...headers }, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', reject).on('end', () => {
        const shown = Object.entries(response.headers).filter(([name]) => !volatile.has(name))
        resolve({ status: response.statusCode, headers: shown.map(([name, value]) => `${name}: ${String(value)}`).sort(), body: text })
      })
    })
    asked.on('error', reject).end(body)
  })
}

const servers: Readonly<Record<string, () => Promise<unknown>>> = {
  fastify: async () => (await import('fastify')).fastify(),
  'alcove/lib': async () => (await import('alcove/lib')).createServer(),
  'alcove/fastify': async () => (await import('alcove/fastify')).fastify(),
}

const server = await servers[process.argv[2]!]!()
const { app, shutdowns } = await createApp(new FastifyAdapter(server as FastifyAdapterServer), views)
await app.listen(0, '127.0.0.1')
const { port } = app.getHttpServer().address() as AddressInfo
const answers: Record<string, Answer> = {}
for (const asked of requests) {
  const { method = 'GET', path, headers } = asked
  answers[`${method} ${path} ${JSON.stringify(headers ?? {})}${asked.body?.slice(0, 30) ?? ''}`] = await ask(port, asked)
}
const { statusCode, payload } = await app.inject({ method: 'GET', url: '/cats' })
answers['inject'] = { status: statusCode, headers: [], body: payload }
await app.close()
answers['close'] = { status: undefined, headers: [], body: `${shutdowns.length} shutdown hooks` }
console.log(JSON.stringify(answers))
