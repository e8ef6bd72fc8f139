/** Prints the functions that took the most time in a profile of --cpu-prof. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

interface Profile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  readonly samples: readonly number[]
  /** µs before each sample */
  readonly timeDeltas: readonly number[]
}

/** The names of functions with their share of the time, the largest first. */
export function topOf(file: string, count: number): [share: number, place: string][] {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = new Map<string, number>()
  let total = 0
  for (const [index, id] of samples.entries()) {
    const { functionName, url, lineNumber } = frames.get(id)!
    if (functionName === '(idle)') continue
    const time = timeDeltas[index]!
    const place =
      url === '' ? functionName : `${functionName || 'anonymous'} ${url.startsWith('node:') ? url : basename(url)}:${lineNumber + 1}`
    times.set(place, (times.get(place) ?? 0) + time)
    total += time
  }
  return [...times]
    .sort(([, one], [, other]) => other - one)
    .slice(0, count)
    .map(([place, time]) => [time / total, place])
}

if (process.argv[2]?.endsWith('.cpuprofile'))
  for (const [share, place] of topOf(process.argv[2], 5)) console.log(`${Math.round(share * 100)} %`.padStart(5), place)
