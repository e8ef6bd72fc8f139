// A process that takes one job of a queue, says so, and never ends it.
import { openBoss, openBullMq, openPgBoss } from './stores.mjs'

const store = JSON.parse(process.argv[2])
const driver =
  store.kind === 'bullmq' ? openBullMq(store.connection) : openPgBoss(await openBoss(store.library, store.options), store.options)
const queue = { name: process.argv[3], retry: { limit: 0, delay: 0, backoff: 'fixed' }, timeout: 1_000, deadLetter: undefined }
await driver.take(queue, 1, () => {
  process.send('working')
  return new Promise(() => {})
})
