/** Records what a server compiles, and writes it as a module. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { entryName, functionKey, madeOf, type SchemaKind } from './prebuilt.js'

/** Characters of code in a file. */
const CHUNK_SIZE = 200_000

const title = 'Written by alcove build'

/**
 * Records what a server compiles, for a module that saves the next one the compiling.
 * ```ts
 * const recording = new BuildRecording()
 * const server = createServer({ prebuilt: recording })
 * // … plugins and routes
 * await server.ready()
 * await recording.write('alcove.build')
 * ```
 */
export class BuildRecording {
  #options: string | undefined
  readonly #sources: ((add: (kind: SchemaKind, key: string, code: string) => void) => void)[] = []
  readonly #functions = new Map<string, string>()

  /** @internal */
  start(options: string | undefined, source: (add: (kind: SchemaKind, key: string, code: string) => void) => void): void {
    this.#options = options
    this.#sources.push(source)
  }

  /** @internal */
  addFunction(parameters: readonly string[], body: string): void {
    this.#functions.set(functionKey(parameters, body), `function (${parameters.join(', ')}) {\n${body}\n}`)
  }

  /**
   * Writes the modules into a directory: `index.mjs` is the one to import, the rest is loaded by it as it is needed. Those of an
   * earlier build are removed.
   * @throws Error where the options of the engines are no JSON, so that no build can be told to match
   */
  async write(directory: string): Promise<void> {
    const files = this.#files()
    await mkdir(directory, { recursive: true })
    for (const name of await readdir(directory)) {
      if (!/^\d+\.cjs$/.test(name) || files.has(name)) continue
      const path = join(directory, name)
      if ((await readFile(path, 'utf8')).startsWith(`// ${title}`)) await rm(path)
    }
    for (const [name, text] of files) await writeFile(join(directory, name), text)
  }

  #files(): Map<string, string> {
    if (this.#options === undefined) {
      throw new Error(
        'Nothing can be built ahead of time: jsv.plugins, jsv.onCreate or a value in jsv.customOptions or serializerOpts is not JSON-serializable.',
      )
    }
    const places: Record<SchemaKind, Record<string, number>> = { validators: {}, serializers: {} }
    const chunks: string[] = ['']
    for (const source of this.#sources) {
      source((kind, key, code) => {
        if (Object.hasOwn(places[kind], key)) return
        if (chunks.at(-1)!.length > CHUNK_SIZE) chunks.push('')
        places[kind][key] = chunks.length - 1
        chunks[chunks.length - 1] += `${JSON.stringify(entryName(kind, key))}: (require, module, helpers) => {\n${code}\n},\n`
      })
    }
    const functions = [...this.#functions].map(([key, code]) => `${JSON.stringify(key)}: ${code},\n`)
    const index = [
      `// ${title}: import this one.`,
      "import { createRequire } from 'node:module'",
      'const require = createRequire(import.meta.url)',
      `export const madeOf = ${JSON.stringify(madeOf(this.#options), null, 2)}`,
      `export const chunks = [\n${chunks.map((_, index) => `() => require('./${index}.cjs'),\n`).join('')}]`,
      ...Object.entries(places).map(([kind, keys]) => `export const ${kind} = ${JSON.stringify(keys, null, 0)}`),
      `export const functions = {\n${functions.join('')}}`,
    ]
    return new Map([
      ['index.mjs', `${index.join('\n')}\n`],
      ...chunks.map((code, index): [string, string] => [`${index}.cjs`, `// ${title}.\nmodule.exports = {\n${code}}\n`]),
    ])
  }
}
