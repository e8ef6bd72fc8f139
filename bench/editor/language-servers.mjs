/**
 * The language servers of both compilers behind one interface, each spoken to in its own protocol: the `tsserver` of TypeScript 5.9 in
 * lines of JSON, that of TypeScript 7 (`tsc --lsp`) in LSP 3.17. Positions are offsets in the text of the one open file.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Of CPU time in /proc, which only Linux has. */
const MS_PER_TICK = 10
/** A server whose CPU time does not grow three times in a row rests. */
const REST_MS = 50
const REST_LIMIT_MS = 10_000

/** The sum of two neighbours of the times in proc_pid_stat(5), in ms: 14 and 15 are user and system, 16 and 17 those of children that ended. */
export function cpuTime(pid, field) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[field - 3]) + Number(fields[field - 2])) * MS_PER_TICK
}

/** The most memory that was resident, in bytes. */
export function peakMemory(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
}

/** A process that is sent requests, and answers them in messages with a `Content-Length`. */
class Connection {
  #child
  #waiting = new Map()
  #rest = Buffer.alloc(0)
  #number = 0

  constructor(args) {
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdout.on('data', (chunk) => this.#read(chunk))
    this.#child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The language server has ended.'))
    })
  }

  #read(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      const head = this.#rest.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/Content-Length: (\d+)/i.exec(this.#rest.toString('latin1', 0, head))[1])
      if (this.#rest.length < head + 4 + length) return
      const message = JSON.parse(this.#rest.toString('utf8', head + 4, head + 4 + length))
      this.#rest = this.#rest.subarray(head + 4 + length)
      this.receive(message)
    }
  }

  nextNumber() {
    return ++this.#number
  }

  write(text) {
    this.#child.stdin.write(text)
  }

  /** The answer to the message with this number. */
  answerTo(number) {
    return new Promise((resolve, reject) => this.#waiting.set(number, { resolve, reject }))
  }

  settle(number, error, value) {
    const { resolve, reject } = this.#waiting.get(number) ?? {}
    this.#waiting.delete(number)
    if (error === undefined) resolve?.(value)
    else reject?.(new Error(error))
  }

  /** CPU time in ms, and the most memory that was resident, in bytes: of the process and of those that it has started. */
  usage() {
    const pids = family(this.#child.pid)
    return { cpu: sum(pids.map((pid) => cpuTime(pid, 14))), memory: sum(pids.map(peakMemory)) }
  }

  /** Resolves when it has nothing left to do: a server goes on for seconds after it has answered, as long as no edit comes. */
  async rest() {
    const limit = performance.now() + REST_LIMIT_MS
    for (let calm = 0, before = this.usage().cpu; calm < 3 && performance.now() < limit;) {
      await sleep(REST_MS)
      const { cpu } = this.usage()
      calm = cpu - before > MS_PER_TICK ? 0 : calm + 1
      before = cpu
    }
  }

  async end() {
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    for (const pid of family(this.#child.pid).toReversed()) process.kill(pid, 'SIGKILL')
    await exited
  }
}

export const sum = (values) => values.reduce((total, value) => total + value, 0)

/** A process, and those that it and they have started. */
export function family(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(family)]
}

/** Line and column, both from 0. */
function positionOf(text, offset) {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length - 1, character: before.at(-1).length }
}

/** The `tsserver` of TypeScript 5.9. */
export class TsServer extends Connection {
  #file
  #text

  constructor() {
    const file = fileURLToPath(new URL('node_modules/typescript-5/lib/tsserver.js', import.meta.url))
    super([file, '--disableAutomaticTypingAcquisition', '--suppressDiagnosticEvents'])
  }

  receive(message) {
    if (message.type === 'response')
      this.settle(message.request_seq, message.success ? undefined : (message.message ?? 'refused'), message.body)
  }

  #send(command, args) {
    const seq = this.nextNumber()
    this.write(`${JSON.stringify({ seq, type: 'request', command, arguments: args })}\n`)
    return seq
  }

  #ask(command, args) {
    return this.answerTo(this.#send(command, { file: this.#file, ...args }))
  }

  #at(offset) {
    const { line, character } = positionOf(this.#text, offset)
    return { line: line + 1, offset: character + 1 }
  }

  /** Opens a file; resolves when its project is loaded. */
  async open(file, text) {
    this.#file = file
    this.#text = text
    this.#send('open', { file, fileContent: text, scriptKindName: 'TS' })
    const { configFileName } = await this.#ask('projectInfo', { needFileNameList: false })
    if (!configFileName.endsWith('/tsconfig.json')) throw new Error(`${file} is in the project ${configFileName}`)
  }

  append(text) {
    const end = this.#at(this.#text.length)
    this.#send('change', { file: this.#file, ...end, endLine: end.line, endOffset: end.offset, insertString: text })
    this.#text += text
  }

  async diagnostics() {
    const found = [await this.#ask('syntacticDiagnosticsSync', {}), await this.#ask('semanticDiagnosticsSync', {})]
    return found.flat().map(({ text }) => text)
  }

  async completion(offset) {
    const { entries } = await this.#ask('completionInfo', { ...this.#at(offset), triggerKind: 2, triggerCharacter: '.' })
    return entries.map(({ name }) => name)
  }

  async hover(offset) {
    const { displayString } = await this.#ask('quickinfo', this.#at(offset))
    return displayString
  }
}

/** The language server of TypeScript 7. */
export class Lsp extends Connection {
  #uri
  #text
  #version = 1

  constructor() {
    super([fileURLToPath(new URL('node_modules/typescript/bin/tsc', import.meta.url)), '--lsp', '--stdio'])
  }

  receive({ id, method, params, result, error }) {
    if (method === undefined) this.settle(id, error?.message, result)
    // What it asks its editor for: settings, of which there are none, and to be told of changes in files.
    else if (id !== undefined) this.#write({ id, result: method === 'workspace/configuration' ? params.items.map(() => null) : null })
  }

  #write(message) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }

  #ask(method, params) {
    const id = this.nextNumber()
    this.#write({ id, method, params })
    return this.answerTo(id)
  }

  #at(offset) {
    return { textDocument: { uri: this.#uri }, position: positionOf(this.#text, offset) }
  }

  /** Opens a file; resolves when its project is loaded. */
  async open(file, text) {
    this.#uri = pathToFileURL(file).href
    this.#text = text
    const rootUri = new URL('.', this.#uri).href
    const capabilities = {
      textDocument: { hover: { contentFormat: ['plaintext'] }, completion: { contextSupport: true }, diagnostic: {} },
    }
    await this.#ask('initialize', { processId: process.pid, rootUri, capabilities, workspaceFolders: null })
    this.#write({ method: 'initialized', params: {} })
    this.#write({
      method: 'textDocument/didOpen',
      params: { textDocument: { uri: this.#uri, languageId: 'typescript', version: 1, text } },
    })
    // The outline needs no types.
    await this.#ask('textDocument/documentSymbol', { textDocument: { uri: this.#uri } })
  }

  append(text) {
    const end = positionOf(this.#text, this.#text.length)
    this.#write({
      method: 'textDocument/didChange',
      params: { textDocument: { uri: this.#uri, version: ++this.#version }, contentChanges: [{ range: { start: end, end }, text }] },
    })
    this.#text += text
  }

  async diagnostics() {
    const { items } = await this.#ask('textDocument/diagnostic', { textDocument: { uri: this.#uri } })
    // 1: errors; an editor shows hints as well.
    return items.filter(({ severity }) => severity === 1).map(({ message }) => message)
  }

  async completion(offset) {
    const found = await this.#ask('textDocument/completion', { ...this.#at(offset), context: { triggerKind: 2, triggerCharacter: '.' } })
    return (found.items ?? found).map(({ label }) => label)
  }

  async hover(offset) {
    const { contents } = await this.#ask('textDocument/hover', this.#at(offset))
    return contents.value ?? contents
  }
}
