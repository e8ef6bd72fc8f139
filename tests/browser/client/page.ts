/** Calls the server with the client file that `alcove client` writes, and writes what it found, or its error, for the test. */
import { createClient } from './client.js'

const { notes } = createClient({ baseUrl: '' })

async function run(): Promise<object> {
  const { text } = await notes.find({ params: { id: 1 } }).expect(200)
  const other = await notes.find({ params: { id: 2 } })
  const nearest = other.status === 404 ? other.body.nearest : `status ${other.status}`
  const picture = new Blob([new Uint8Array(70_000).fill(7)], { type: 'image/png' })
  const { size, hash } = await notes.attach({ params: { id: 1 }, body: picture }).expect(201)
  const ticks: number[] = []
  for await (const { tick } of await notes.ticks().expect(200)) ticks.push(tick)
  const again: string[] = []
  for await (const { event, data } of (await notes.ticks({ reconnect: true }).expect(200)).events()) {
    again.push(`${event} ${data.tick}`)
    if (again.length === 5) break
  }
  return { text, nearest, size, isSame: hash === (await toHex(picture)), ticks, again }
}

async function toHex(picture: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await picture.arrayBuffer())
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const textContent = await run().then(JSON.stringify, String)
document.body.append(Object.assign(document.createElement('output'), { textContent }))
