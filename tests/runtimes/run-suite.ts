/** Runs the behaviours against an entry. */
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { behaviours } from './behaviours/index.js'
import { type Behaviour, Client, type Entry, type Running } from './client.js'
import { differences } from './differences.js'

export interface Result {
  readonly subject: string
  readonly title: string
  /** The failure, or `undefined`. */
  readonly failure: unknown
}

/** ms that one behaviour may take. */
const LIMIT_MS = 12_000

/** Runs all behaviours against an entry, those that close a server last. */
export async function runSuite(entry: Entry): Promise<Result[]> {
  const results: Result[] = []
  const running = await entry.start()
  for (const [subject, list] of Object.entries(behaviours)) {
    for (const behaviour of list) {
      const known = differences[behaviour.title]?.[entry.name]
      if (typeof known === 'object') {
        results.push({ subject, title: behaviour.title, failure: known.notRun })
        continue
      }
      const own = behaviour.closes ? await entry.start() : running
      results.push({ subject, title: behaviour.title, failure: await failureOf(behaviour, own) })
      if (behaviour.closes) await own.close()
    }
  }
  await running.close()
  return results
}

async function failureOf({ check, title }: Behaviour, running: Running): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${title}: not over after ${LIMIT_MS} ms`)), LIMIT_MS)
  })
  try {
    await Promise.race([check(new Client(running)), limit])
    return undefined
  } catch (error) {
    return error ?? new Error('rejected with nothing')
  } finally {
    clearTimeout(timer)
  }
}

/** Fails unless exactly the behaviours that are listed as differences of the entry fail. */
export function holdResults(entry: string, results: readonly Result[]): void {
  const faults = results.flatMap(({ subject, title, failure }) => {
    const known = differences[title]?.[entry]
    if (failure === undefined) return known === undefined ? [] : [`${title}: listed as a difference of ${entry}, but it is none`]
    return known === undefined ? [`${subject}: ${title}: ${inspect(failure)}`] : []
  })
  assert.deepEqual(faults, [], `${entry}: ${faults.length} of ${results.length}\n${faults.join('\n')}`)
}
