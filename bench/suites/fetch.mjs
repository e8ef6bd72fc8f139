/** The cost of a request without a socket, on the lines of Node that are supported: a measurement of one process each. */
import { execFileSync } from 'node:child_process'
import { start, stop } from '../processes.mjs'
import { executableOf, lines } from './lines.mjs'

export async function measureFetch() {
  const nodes = {}
  for (const line of lines) {
    const execPath = executableOf(line)
    const { child, first } = await start('fetch.mjs', [], { execPath })
    await stop(child)
    nodes[execFileSync(execPath, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()] = first
  }
  return { nodes }
}
