/** Runs the commands of a page as its reader does: in a folder, with a server that goes on in another terminal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'

/** What npm prints about itself. */
const noise = /^(?:npm (?:warn|notice) .*|> .*)$/

export class Terminal {
  #folder
  #port
  #env
  #server
  #seen = ''

  constructor(folder, port) {
    this.#folder = folder
    this.#port = String(port)
    this.#env = { ...process.env, PORT: this.#port, NODE_OPTIONS: '--test-reporter=spec', FORCE_COLOR: '0' }
    // Of the test runner that runs this file: with it, the tests of the steps would report to that one.
    delete this.#env['NODE_TEST_CONTEXT']
  }

  static async open(folder) {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address()
    probe.close()
    await once(probe, 'close')
    return new Terminal(folder, port)
  }

  /** @returns what the command has printed and its status; for a server, what it prints until it listens */
  async run(command) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(command) ?? []
    if (name !== undefined) return this.#export(name, this.#complete(value))
    const given = command.replaceAll('localhost:3000', `localhost:${this.#port}`)
    const result = /^npm (?:run dev|start)$/.test(command) ? await this.#serve(given) : await this.#finish(given)
    this.#seen += result.output
    return { ...result, output: this.#clean(result.output) }
  }

  /** Stops the server, as Ctrl-C does. */
  async close() {
    if (this.#server === undefined) return
    const { pid, exited } = this.#server
    this.#server = undefined
    process.kill(-pid, 'SIGTERM')
    await exited
  }

  #export(name, value) {
    this.#env[name] = value
    return { status: 0, output: '' }
  }

  /** `eyJ…` on the page is, for the reader, the last such text that was printed. */
  #complete(value) {
    const [, start] = /^(.+)…$/.exec(value) ?? []
    if (start === undefined) return value
    const found = this.#seen.match(new RegExp(`${start}[\\w.-]+`, 'g'))
    if (found === null) throw new Error(`nothing that was printed begins with ${start}`)
    return found.at(-1)
  }

  #clean(output) {
    // `tsc` writes colours whatever FORCE_COLOR is.
    return stripVTControlCharacters(output)
      .replaceAll(`:${this.#port}`, ':3000')
      .split(/\r?\n/)
      .filter((line) => !noise.test(line))
      .join('\n')
      .trim()
  }

  async #finish(command) {
    const child = this.#spawn(command)
    const [status] = await once(child, 'close')
    return { status, output: child.printed }
  }

  /** A second server takes the place of the first one. */
  async #serve(command) {
    await this.close()
    const child = this.#spawn(command)
    this.#server = { pid: child.pid, exited: once(child, 'close') }
    const end = performance.now() + 180_000
    while (!child.printed.includes('Server listening')) {
      if (child.exitCode !== null) return { status: child.exitCode, output: child.printed }
      if (performance.now() > end) throw new Error(`${command} does not listen:\n${child.printed}`)
      await wait(50)
    }
    return { status: 0, output: child.printed }
  }

  #spawn(command) {
    const options = { cwd: this.#folder, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'], detached: true }
    const child = spawn('sh', ['-c', command.replace(/\bcurl\b/g, 'curl -sS')], options)
    child.printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (child.printed += text))
    return child
  }
}
