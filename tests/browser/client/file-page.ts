/** Calls the server with the client file that `alcove client` writes. */
import { createClient } from './client.js'
import { show, toHex } from './page.js'

const { notes } = createClient({ baseUrl: '' })

await show(async () => {
  const { text } = await notes.find({ params: { id: 1 } }).expect(200)
  const other = await notes.find({ params: { id: 2 } })
  const nearest = other.status === 404 ? other.body.nearest : `status ${other.status}`
  const picture = new Blob([new Uint8Array(70_000).fill(7)], { type: 'image/png' })
  const { size, hash } = await notes.attach({ params: { id: 1 }, body: picture }).expect(201)
  const ticks: number[] = []
  for await (const { tick } of await notes.ticks().expect(200)) ticks.push(tick)
  return { text, nearest, size, isSame: hash === (await toHex(picture)), ticks }
})
