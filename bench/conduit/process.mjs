/** One application in a process: says its port, and on demand what it has used. */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { openLayer } from './layer.mjs'

const applications = {
  fastify: './dist/servers/fastify.js',
  alcove: './servers/alcove.mjs',
  nest: './dist/servers/nest.js',
}

const [name] = process.argv.slice(2)
// The sample imports these, although they are off here; the others shall not take less memory because they leave them out.
const sample = createRequire(new URL('../../samples/conduit/package.json', import.meta.url))
for (const unused of ['ioredis', '@fastify/cors', '@fastify/helmet']) await import(pathToFileURL(sample.resolve(unused)).href)
const { start } = await import(applications[name])
const server = await start(name === 'alcove' ? undefined : await openLayer())

process.on('disconnect', () => process.exit())
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send({ cpu: (user + system) / 1e6, rss: process.memoryUsage.rss() })
})
process.send(server.address().port)
