/** alcove, with classes and without, beside Fastify on the lines of Node that are supported: without a network, and over sockets. */
import { execFileSync } from 'node:child_process'
import { measureSlices } from '../slices.mjs'
import { measureSockets } from './requests.mjs'

export const lines = ['20', '24', '26']
const names = ['fastify', 'alcove', 'classes']

export function executableOf(line) {
  return execFileSync('npx', ['-y', '-p', `node@${line}`, '-c', 'node -p process.execPath'], { encoding: 'utf8' }).trim()
}

export async function measureLines({ only, runs, quick }) {
  const found = {}
  for (const line of lines) {
    const execPath = executableOf(line)
    const version = execFileSync(execPath, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()
    const used = only.filter((workload) => workload !== 'floor')
    const inProcess = {}
    for (const workload of used) {
      console.error(`  Node ${version}, ${workload}`)
      const servers = names.map((name) => ({ key: name, name }))
      inProcess[workload] = await measureSlices(workload, servers, { runs: runs ?? 1, quick, execPath })
    }
    console.error(`  Node ${version}, sockets`)
    const sockets = await measureSockets({ only: used, names, runs: runs ?? 1, quick, execPath })
    found[version] = Object.fromEntries(
      used.map((workload) => {
        const ratios = (name) => ({
          inProcess: inProcess[workload][name].ratio,
          sockets: sockets.workloads[workload][name].cpu.median / sockets.workloads[workload].fastify.cpu.median,
        })
        return [workload, { alcove: ratios('alcove'), classes: ratios('classes') }]
      }),
    )
  }
  return { nodes: found }
}
