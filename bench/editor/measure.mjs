/** What one kind of client costs one compiler: its command line, and its language server. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ACTION, compilers } from './kinds.mjs'
import { cpuTime, family, Lsp, peakMemory, sum, TsServer } from './language-servers.mjs'

const SAMPLE_MS = 20
const LIMIT_MS = 300_000

/** CPU time in ms of the processes that this one had started, and that have ended. */
const cpuOfEnded = () => cpuTime('self', 16)

/** Runs a program of Node to its end: time in ms, and the most memory that was resident, in bytes. */
export async function run(args) {
  const before = cpuOfEnded()
  const start = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: LIMIT_MS })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  let memory = 0
  const timer = setInterval(() => (memory = Math.max(memory, residentOf(child.pid))), SAMPLE_MS)
  const [code] = await once(child, 'close')
  clearInterval(timer)
  const wall = performance.now() - start
  assert.equal(code, 0, `${args.join(' ')}\n${output.slice(0, 2000)}`)
  return { wall, cpu: cpuOfEnded() - before, memory, output }
}

function residentOf(pid) {
  try {
    return sum(family(pid).map(peakMemory))
  } catch {
    // It has just ended.
    return 0
  }
}

/** `tsc --noEmit`. `one`: of a program that has only what `use.ts` reaches. */
export async function measureCompiler(compiler, { directory, reachesAll }) {
  const found = {}
  for (const [key, file] of Object.entries({ one: 'one.json', all: 'tsconfig.json' })) {
    // The same program.
    if (key === 'all' && reachesAll) continue
    const { output, ...costs } = await run([compilers[compiler], '-p', join(directory, file), '--extendedDiagnostics'])
    found[key] = { ...costs, instantiations: Number(/Instantiations:\s+(\d+)/.exec(output)[1]) }
  }
  return found
}

/** What an editor asks, and what it must be answered. */
const questions = {
  diagnostics: (server) => server.diagnostics().then((found) => assert.deepEqual(found, [])),
  members: async (server, { members }) => {
    const found = await server.completion(members)
    assert.ok(
      found.some((label) => [ACTION, 'put', '$put'].includes(label)),
      found.join(),
    )
  },
  body: async (server, { body }) => {
    const found = await server.completion(body)
    assert.ok(found.includes('createdAt') && !found.includes('toFixed'), found.join())
  },
  hover: async (server, { hover }) => assert.match(await server.hover(hover - 1), /\S/),
}

const start = (compiler) => (compiler === '5' ? new TsServer() : new Lsp())

/** Edits are left out when those of a server have taken so long. */
const EDITS_MS = 40_000

/**
 * One server: from its start until the project is loaded, the first answer after that to one question, and the answers to all that are
 * asked together after edits. Each edit adds a statement to the file, when the server rests.
 */
async function measureServer(compiler, { directory, text, places }, first, edits) {
  const server = start(compiler)
  const timer = setTimeout(() => void server.end(), LIMIT_MS)
  try {
    const ask = (name) => questions[name](server, places)
    const started = performance.now()
    await server.open(join(directory, 'use.ts'), text)
    const loaded = performance.now()
    await ask(first)
    const answered = performance.now()
    const { cpu, memory } = server.usage()
    const asked = first === 'diagnostics' ? ['diagnostics'] : ['members', 'hover', 'body']
    const edited = Object.fromEntries(asked.map((name) => [name, []]))
    for (let edit = 0; edit < edits * asked.length && performance.now() - answered < EDITS_MS; edit++) {
      const name = asked[edit % asked.length]
      await server.rest()
      const before = performance.now()
      server.append(`export const edit${edit} = ${edit}\n`)
      await ask(name)
      edited[name].push(performance.now() - before)
    }
    return { loaded: loaded - started, cold: answered - loaded, cpu, memory, edited }
  } finally {
    clearTimeout(timer)
    await server.end()
  }
}

/** Each of these questions as the first of a server of its own: the costs by question. */
export async function measureEditor(compiler, kind, first, edits) {
  const found = {}
  for (const name of first) found[name] = await measureServer(compiler, kind, name, edits)
  return found
}

/** What an editor shows for a call, its reply, its body and `expect`. */
export async function readHovers(compiler, { directory, text, places }) {
  const server = start(compiler)
  try {
    await server.open(join(directory, 'use.ts'), text)
    const found = {}
    const reply = text.indexOf('reply')
    const shown = { call: places.hover - 1, reply, 'reply.body': places.body - 2, expect: places.expect && places.expect - 1 }
    for (const [name, offset] of Object.entries(shown)) if (offset > 0) found[name] = await server.hover(offset)
    return found
  } finally {
    await server.end()
  }
}
