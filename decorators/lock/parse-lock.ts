/** Reads the text of `alcove.lock`. */
import { type Unfinished, pluginLines, readPath, routeLines } from './lines.js'
import type { Lock, LockedPlugin, LockedRoute } from './lock-types.js'
import { routeTitle } from './routes.js'
import { isName, type Word, wordsOf } from './text.js'
import { firstLine } from './write-lock.js'

/** The error for a text that is not the output of `alcove lock`. */
export class LockError extends Error {
  /** The number of the line that cannot be read, from 1. */
  readonly line: number

  constructor(line: number, problem: string) {
    super(`line ${line} ${problem}`)
    this.line = line
  }
  override get name(): string {
    return 'LockError'
  }
}

/** Whether a text is a lock of any version, or begins like one. */
export function isLock(text: string): boolean {
  return text.startsWith('alcove lock ')
}

/**
 * Reads the text of a lock. Each line must have the form that {@link writeLock} writes, with any indent; empty lines and lines that begin
 * with `#` are ignored.
 * @throws LockError with the number of the first invalid line
 */
export function parseLock(text: string): Lock {
  return new Reader().read(text)
}

class Reader {
  readonly #plugins: Unfinished<LockedPlugin>[] = []
  /** The keywords that were read for the current plugin or route. */
  #seen = new Set<string>()
  readonly #titles = new Set<string>()
  #route: Unfinished<LockedRoute> | undefined
  #line = 0

  read(text: string): Lock {
    const lines = text.split(/\r?\n/)
    for (const line of lines) {
      this.#line++
      if (this.#line === 1) this.#readFirst(line)
      else if (line.trim() !== '' && !line.startsWith('#')) this.#readLine(line)
    }
    this.#endRoute()
    return { plugins: this.#plugins }
  }

  #readFirst(line: string): void {
    if (line === firstLine) return
    if (/^alcove lock \d+$/.test(line))
      throw this.#error(`is '${line}': this version of alcove reads '${firstLine}'. Write the file again.`)
    throw this.#error(`is not '${firstLine}', so this is not a file of alcove lock.`)
  }

  #readLine(line: string): void {
    const [keyword, ...words] = wordsOf(line) ?? []
    if (!isName(keyword)) throw this.#corrupt(line)
    if (keyword.text === 'plugin') this.#readPlugin(line, words)
    else if (keyword.text === 'route') this.#readRoute(line, words)
    else this.#readFact(line, keyword.text, words)
  }

  #readPlugin(line: string, words: readonly Word[]): void {
    this.#endRoute()
    const path = readPath(words)
    if (path === undefined) throw this.#corrupt(line)
    this.#seen = new Set()
    this.#plugins.push({ path, prefix: '', isShared: false, gives: [], needs: [], runs: [], jobs: [], routes: [] })
  }

  #readRoute(line: string, words: readonly Word[]): void {
    this.#endRoute()
    const plugin = this.#plugins.at(-1)
    const names = words.filter(isName).map(({ text }) => text)
    const [url, methods] = [names.at(-1), names.slice(0, -1)]
    if (url === undefined || methods.length === 0 || names.length < words.length) throw this.#corrupt(line)
    if (plugin === undefined) throw this.#error(`has a route before the first plugin: ${line.trim()}`)
    this.#seen = new Set()
    const facts = { hooks: [], security: [], constraints: {}, input: {}, replies: {}, limits: {} }
    this.#route = { methods, url, handler: '', lifetime: 'context', ...facts }
    plugin.routes.push(this.#route)
  }

  #readFact(line: string, keyword: string, words: readonly Word[]): void {
    const plugin = this.#plugins.at(-1)
    if (plugin === undefined) throw this.#error(`stands before the first plugin: ${line.trim()}`)
    const isRepeatable = this.#route === undefined && ['gives', 'needs', 'runs', 'job'].includes(keyword)
    if (this.#seen.has(keyword) && !isRepeatable) throw this.#error(`repeats '${keyword}': ${line.trim()}`)
    this.#seen.add(keyword)
    const isRead =
      this.#route === undefined ? lineOf(pluginLines, keyword)?.read(words, plugin) : lineOf(routeLines, keyword)?.read(words, this.#route)
    if (isRead !== true) throw this.#corrupt(line)
  }

  #endRoute(): void {
    const route = this.#route
    if (route === undefined) return
    if (route.handler === '') throw this.#error(`ends the route ${route.url}, which has no handler.`)
    for (const title of route.methods.map((method) => routeTitle(method, route))) {
      if (this.#titles.has(title)) throw this.#error(`ends the route ${title}, which is there twice. Write the file again.`)
      this.#titles.add(title)
    }
    this.#route = undefined
  }

  #corrupt(line: string): LockError {
    const isConflict = /^(?:<{7}|={7}|>{7})/.test(line)
    const cure = isConflict ? 'It is a conflict of a merge: write the file again.' : 'Write the file again.'
    return this.#error(`is not a line of alcove lock: ${line.trim()}. ${cure}`)
  }

  #error(problem: string): LockError {
    return new LockError(this.#line, problem)
  }
}

function lineOf<L>(lines: Readonly<Record<string, L>>, keyword: string): L | undefined {
  return Object.hasOwn(lines, keyword) ? lines[keyword] : undefined
}
