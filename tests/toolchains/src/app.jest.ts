// Jest's globals have no types here. Run as CommonJS, without flags of Node.
import { probe } from './checks.js'

declare const test: (title: string, run: () => Promise<void>) => void

test('the app answers over a socket', async () => {
  console.log(JSON.stringify(await probe()))
})
