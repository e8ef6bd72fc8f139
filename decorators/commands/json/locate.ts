/** Finds the classes of an application, and their positions in source files. */
import { readFile } from 'node:fs/promises'
import { type Debugger, type Runtime } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Class } from '../../declare/metadata.js'
import { visitListed } from '../../wiring/constructed-classes.js'
import { buildModuleTree } from '../../wiring/module-tree.js'
import { nameOf } from '../../wiring/value-names.js'
import { allPlugins } from '../../wiring/nodes.js'
import type { FilePosition } from '../modules.js'
import type { ReportedFault } from './report.js'

/**
 * Adds to each fault its class and the class's position in a file, as far as they are known. A fault of an environment variable has a file
 * already.
 */
export async function locateFaults(App: Class, faults: readonly ReportedFault[]): Promise<ReportedFault[]> {
  const isOpen = ({ place, file }: ReportedFault): boolean => place !== undefined && file === undefined
  if (!faults.some(isOpen)) return [...faults]
  const classes = classesByPlace(App)
  const sources = new FunctionSources()
  try {
    await sources.open()
  } catch {
    // Node.js may be built without its inspector. The faults are then reported without files.
    return [...faults]
  }
  try {
    const located: ReportedFault[] = []
    for (const fault of faults) located.push(isOpen(fault) ? { ...fault, ...(await locatePlace(fault.place!, classes, sources)) } : fault)
    return located
  } finally {
    sources.close()
  }
}

async function locatePlace(
  place: string,
  classes: ReadonlyMap<string, Class>,
  sources: FunctionSources,
): Promise<Partial<ReportedFault> | undefined> {
  const [, ofClass, member = ''] = /^(.*?)(?:\.([^.>]+))?$/.exec(place)!
  const Found = classes.get(place) ?? classes.get(ofClass!)
  if (Found === undefined) return undefined
  const method: unknown = classes.has(place) ? undefined : (Found.prototype as Record<string, unknown>)[member]
  return { class: nameOf(Found), ...(await sources.positionOf(typeof method === 'function' ? method : Found)) }
}

/**
 * Returns the classes of an application by the paths in faults: `App > Api > Users`. If two classes of a plugin have the same name, both
 * are left out, because the path does not tell which class is meant.
 */
function classesByPlace(App: Class): Map<string, Class> {
  const found = new Map<string, Set<Class>>()
  const add = (place: string, value: unknown): void => {
    if (typeof value !== 'function') return
    const others = found.get(place)
    if (others === undefined) found.set(place, new Set([value as Class]))
    else others.add(value as Class)
  }
  for (const plugin of allPlugins(buildModuleTree(App, new Map()).root)) {
    add(plugin.path, plugin.Class)
    visitListed(plugin, (entry) => add(`${plugin.path} > ${nameOf(entry)}`, entry))
  }
  return new Map([...found].flatMap(([place, classes]) => (classes.size === 1 ? [[place, [...classes][0]!]] : [])))
}

/**
 * Finds the positions of functions in source files. The inspector of this process is asked, because a function itself does not tell its
 * position.
 */
class FunctionSources {
  readonly #session = new Session()
  readonly #scripts = new Map<string, Debugger.ScriptParsedEventDataType>()
  readonly #maps = new Map<string, SourceMap | undefined>()

  async open(): Promise<void> {
    this.#session.connect()
    this.#session.on('Debugger.scriptParsed', ({ params }) => this.#scripts.set(params.scriptId, params))
    await this.#session.post('Debugger.enable')
  }

  close(): void {
    this.#session.disconnect()
  }

  async positionOf(target: object): Promise<FilePosition | undefined> {
    const location = await this.#locationOf(target)
    const script = location && this.#scripts.get(location.scriptId)
    if (script === undefined || !script.url.startsWith('file:')) return undefined
    const line = location!.lineNumber
    const column = location!.columnNumber ?? 0
    const entry = (await this.#mapOf(script))?.findEntry(line, column)
    if (entry === undefined || !('originalSource' in entry)) return { file: fileURLToPath(script.url), line: line + 1, column: column + 1 }
    const source = new URL(entry.originalSource, script.url)
    return { file: fileURLToPath(source), line: entry.originalLine + 1, column: entry.originalColumn + 1 }
  }

  async #locationOf(target: object): Promise<Debugger.Location | undefined> {
    const key = Symbol.for('alcove.located')
    Object.defineProperty(globalThis, key, { value: target, configurable: true })
    try {
      const { result } = await this.#session.post('Runtime.evaluate', { expression: `globalThis[Symbol.for('alcove.located')]` })
      const { internalProperties = [] } = await this.#session.post('Runtime.getProperties', {
        objectId: result.objectId!,
        ownProperties: true,
      })
      const property = internalProperties.find(({ name }: Runtime.InternalPropertyDescriptor) => name === '[[FunctionLocation]]')
      return property?.value?.value as Debugger.Location | undefined
    } finally {
      Reflect.deleteProperty(globalThis, key)
    }
  }

  async #mapOf({ scriptId, url, sourceMapURL }: Debugger.ScriptParsedEventDataType): Promise<SourceMap | undefined> {
    if (!sourceMapURL) return undefined
    if (!this.#maps.has(scriptId)) this.#maps.set(scriptId, await readMap(new URL(sourceMapURL, url)))
    return this.#maps.get(scriptId)
  }
}

/** Reads a source map. Returns `undefined` if the map cannot be read, because packages are often published without source maps. */
async function readMap(url: URL): Promise<SourceMap | undefined> {
  try {
    const text = url.protocol === 'data:' ? await (await fetch(url)).text() : await readFile(resolve(fileURLToPath(url)), 'utf8')
    return new SourceMap(JSON.parse(text) as SourceMapPayload)
  } catch {
    return undefined
  }
}
