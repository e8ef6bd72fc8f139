/** A server of its own for the run `departures`, which starts it with few files: the routes that clients leave, and one that answers. */
import type { AddressInfo } from 'node:net'
import { createServer } from 'alcove/lib'
import { quiet } from '../fixtures/departures.js'

const server = createServer()
for (const [index, declare] of Object.values(quiet).entries()) declare(server, `/quiet/${index}`)
server.get('/tiny', () => 't')
await server.listen({ port: 0, host: '127.0.0.1' })
process.send!({ port: (server.server.address() as AddressInfo).port })
