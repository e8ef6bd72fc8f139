/** The same requests to alcove and to Fastify 5 with the same routes: they answer alike, or the difference is listed. */
import { isDeepStrictEqual } from 'node:util'
import fastify from 'fastify'
import { createServer } from '../../dist/lib/index.js'
import { declare, routes } from './app.mjs'
import { Connection } from './connection.mjs'
import { differences } from './differences.mjs'
import { Random } from '../../dist/decorators/tools/values/random.js'
import { request } from './requests.mjs'
import { generatedRoutes } from './schemas.mjs'

const compared = ['content-type', 'allow', 'x-guarded', 'location']

export async function compareWithFastify({ seed, count, note }) {
  const random = new Random(seed)
  const extra = generatedRoutes(random, 12)
  const servers = [createServer({ requestTimeout: 0 }), fastify()]
  for (const server of servers) {
    declare(server, () => {}, extra)
    await server.ready()
    server.server.httpAllowHalfOpen = true
  }
  const all = [...routes, ...extra]
  const connections = []
  try {
    for (let index = 0; index < count; index++) {
      const made = request(random, all)
      const [ours, theirs] = await Promise.all(
        servers.map(async (server, which) => {
          if (connections[which] === undefined || connections[which].isClosed || made.isLast) {
            connections[which]?.destroy()
            connections[which] = new Connection(server.server)
          }
          try {
            return (await connections[which].exchange(made))[0] ?? { status: 0, headers: {}, body: '' }
          } catch (error) {
            connections[which].destroy()
            return { status: -1, headers: {}, body: error.message }
          }
        }),
      )
      const isSame =
        ours.status === theirs.status &&
        compared.every((name) => ours.headers[name] === theirs.headers[name]) &&
        (made.method === 'HEAD' || isSameBody(ours.body, theirs.body))
      if (isSame) {
        note('same')
        continue
      }
      const found = differences.find(({ matches }) => matches(made, ours, theirs))
      if (found === undefined) {
        const error = new Error(
          `an unlisted difference\n  seed ${seed}, request ${index}\n  ${JSON.stringify(made.bytes.toString('latin1').slice(0, 2000))}\n  alcove  ${show(ours)}\n  fastify ${show(theirs)}`,
        )
        error.isFinding = true
        throw error
      }
      note(found.id)
    }
  } finally {
    for (const connection of connections) connection?.destroy()
    await Promise.all(servers.map((server) => server.close()))
  }
}

function show({ status, headers, body }) {
  return `${status} ${headers['content-type'] ?? ''} ${body.slice(0, 500)}`
}

/** The order of the keys of an error payload differs from Fastify's in some replies. */
function isSameBody(ours, theirs) {
  if (ours === theirs) return true
  try {
    return isDeepStrictEqual(JSON.parse(ours), JSON.parse(theirs))
  } catch {
    return false
  }
}
