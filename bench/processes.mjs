/** Processes that measure: started, asked and ended. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const here = fileURLToPath(new URL('.', import.meta.url))

/** A process and the answer to its start. `directory`: a copy of this folder. `execPath`: another Node. */
export async function start(file, args, { directory = here, execArgv = [], execPath = process.execPath } = {}) {
  const child = fork(join(directory, file), args.map(String), { env: { ...process.env, NODE_ENV: 'production' }, execArgv, execPath })
  return { child, first: await message(child) }
}

async function message(child) {
  const over = new AbortController()
  try {
    return await Promise.race([
      once(child, 'message', over).then(([answer]) => answer),
      once(child, 'exit', over).then(([code]) => {
        throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${code}`)
      }),
    ])
  } finally {
    over.abort()
  }
}

export function ask(child, question) {
  const answer = message(child)
  child.send(question)
  return answer
}

export async function stop(...children) {
  await Promise.all(
    children.map((child) => {
      const exited = once(child, 'exit')
      child.disconnect()
      return exited
    }),
  )
}

/** Calls `measure` with a server, a case and the run, for each case, run after run, each time with another server first. Results are by case and server. */
export async function inTurn(cases, measure) {
  const found = Object.fromEntries(cases.map(({ key, servers }) => [key, Object.fromEntries(servers.map((name) => [name, []]))]))
  const most = Math.max(...cases.map(({ runs }) => runs))
  for (let run = 0; run < most; run++) {
    for (const { key, servers, runs } of cases) {
      if (run >= runs) continue
      for (let at = 0; at < servers.length; at++) {
        const name = servers[(at + run) % servers.length]
        found[key][name].push(await measure(name, key, run))
      }
    }
    console.error(`  run ${run + 1} of ${most}`)
  }
  return found
}
