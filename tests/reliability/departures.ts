/** Clients that come once and leave, over and over, to a server that may open few files. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { behind, heldBehind, quiet, request, withUnreadBody } from '../fixtures/departures.js'

/** What clients of each kind send. */
export const kinds: Record<string, (path: string) => string> = {
  ...Object.fromEntries(Object.entries(behind).map(([what, more]) => [what, (path: string) => request(path) + more])),
  'requests that are held': (path) => request(path) + heldBehind,
  'a body that nothing reads': withUnreadBody,
}

/** Clients at a time. */
const WIDTH = 50
/** How long, in ms, a client stays. */
const STAY = 20
/** How long, in ms, the server has to answer again after these clients have left; a connection that is not read closes after 5 s. */
const PATIENCE = 10_000

export interface Departures {
  readonly kind: string
  readonly clients: number
  /** The longest time, in ms, until the server answered after {@link WIDTH} clients had left. */
  readonly slowest: number
}

/**
 * @param files the limit of open files of the server
 * @throws if the server has died or does not answer within 10 s after clients of a kind have left
 */
export async function* runDepartures(clients: number, files: number): AsyncIterable<Departures> {
  const app = fileURLToPath(new URL('departures-app.js', import.meta.url))
  const command = `ulimit -n ${files} && exec "${process.execPath}" "${app}"`
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  try {
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    for (const [kind, bytes] of Object.entries(kinds)) {
      let slowest = 0
      for (let gone = 0; gone < clients; gone += WIDTH) {
        await Promise.all(
          Array.from({ length: WIDTH }, (_, index) => visit(port, bytes(`/quiet/${(gone + index) % Object.keys(quiet).length}`))),
        )
        const left = performance.now()
        while (!(await answers(port))) {
          if (child.exitCode !== null) throw new Error(`the server has died of clients that sent ${kind}`)
          if (performance.now() - left > PATIENCE) throw new Error(`the server no longer answers after ${gone} clients that sent ${kind}`)
          await sleep(50)
        }
        slowest = Math.max(slowest, performance.now() - left)
      }
      yield { kind, clients, slowest }
    }
  } finally {
    child.kill('SIGKILL')
  }
}

async function visit(port: number, bytes: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  socket.write(bytes)
  await sleep(STAY)
  socket.destroy()
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/tiny`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(1_000) }).then(
    (response) => response.ok,
    () => false,
  )
}
