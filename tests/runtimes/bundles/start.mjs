/** Starts a bundle in a process of its own, and measures it up to its first answer. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const bin = (name) => join(here, '../node_modules/.bin', name)
const {
  default: { default: workerd },
} = await import('../../../samples/workers/node_modules/workerd/lib/main.js')

/** An event of an HTTP API, for `GET` of a path. */
const eventOf = (path) => ({
  version: '2.0',
  rawPath: path,
  rawQueryString: '',
  headers: { host: 'a.example' },
  isBase64Encoded: false,
  requestContext: { domainName: 'a.example', http: { method: 'GET', path, sourceIp: '192.0.2.1' } },
})

/** Invokes a function of Lambda once, says so, and stays. */
const invoke = `
const { handle } = await import(process.argv[2])
const { body } = await handle(${JSON.stringify(eventOf('/users/7'))}, {})
if (JSON.parse(body).name !== 'Ada') throw new Error(body)
console.log('answered')
setInterval(() => {}, 1e6)`

function commandOf({ runtime, file }) {
  if (runtime === 'bun') return [bin('bun'), [file]]
  if (runtime === 'deno') return [bin('deno'), ['run', '--allow-all', '--no-prompt', '--unstable-no-legacy-abort', file]]
  if (runtime === 'workerd') {
    writeFileSync(
      `${file}.capnp`,
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.mjs", esModule = embed "${file.slice(file.lastIndexOf('/') + 1)}")],
    compatibilityDate = "2026-07-01", compatibilityFlags = ["nodejs_compat"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);`,
    )
    return [workerd, ['serve', '--control-fd=1', `${file}.capnp`]]
  }
  if (runtime !== 'lambda') return [process.execPath, [file]]
  writeFileSync(`${file}.invoke.mjs`, invoke)
  return [process.execPath, [`${file}.invoke.mjs`, file]]
}

/** Sends a request over a connection of its own. @returns the head and the body of the reply */
async function get(port, path) {
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) {
    text += chunk.toString('latin1')
    const [head, body = ''] = text.split('\r\n\r\n', 2)
    const length = /content-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined ? body.endsWith('0') : body.length >= Number(length)) break
  }
  return text
}

/** The CPU time of all threads of a process so far, in ms (Linux). */
function cpuOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]), 0) / 1e6
}

/** Starts a bundle. @returns ms of wall and of CPU up to the first answer */
export async function startOnce(bundle, isChecked) {
  const [command, args] = commandOf(bundle)
  const begin = performance.now()
  const child = spawn(command, args, { cwd: dirname(bundle.file), stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`${bundle.file} ended with ${code}`))),
    ])
    const port = bundle.runtime === 'workerd' ? JSON.parse(line).port : /:(\d+)/.exec(line)?.[1]
    const reply = bundle.runtime === 'lambda' ? '' : await get(port, '/users/7')
    const [wall, cpu] = [performance.now() - begin, cpuOf(child.pid)]
    if (bundle.runtime !== 'lambda') {
      assert.match(reply, /^HTTP\/1\.1 200 [^]*"name":"Ada"/)
      if (isChecked) await holdReplies((path) => get(port, path).then((text) => Number(text.split(' ')[1])))
    } else if (isChecked) {
      const { handle } = await import(bundle.file)
      await holdReplies(async (path) => (await handle(eventOf(path), {})).statusCode)
    }
    return { wall, cpu }
  } finally {
    child.kill('SIGKILL')
  }
}

/** A user that does not exist is not found, and what is no number is refused; Elysia refuses with 422. */
async function holdReplies(statusOf) {
  assert.equal(await statusOf('/users/8'), 404)
  assert.ok([400, 422].includes(await statusOf('/users/x')))
}
