/** Records the schemas and functions that a server compiles, and writes them as a module. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFingerprint, entryName, functionKey, type SchemaKind } from './prebuilt.js'

/** Characters of code after which the next file is begun. */
const CHUNK_SIZE = 200_000

const title = 'Written by alcove build'

/**
 * Records the schemas and functions that a server compiles. The module that it writes saves other servers the compiling.
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
   * Writes the modules into a directory. Import `index.mjs`; it loads the other files when they are needed. Files of an earlier build
   * are removed.
   * @throws Error if the options of the engines are not JSON, because no server could tell whether the build matches it
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
        'Nothing can be built ahead of time: jsv.plugins, jsv.onCreate or a value in jsv.customOptions or serializerOpts is not JSON.',
      )
    }
    const chunkIndexes: Record<SchemaKind, Record<string, number>> = { validators: {}, serializers: {} }
    const chunks: string[] = ['']
    for (const source of this.#sources) {
      source((kind, key, code) => {
        if (Object.hasOwn(chunkIndexes[kind], key)) return
        if (chunks.at(-1)!.length > CHUNK_SIZE) chunks.push('')
        chunkIndexes[kind][key] = chunks.length - 1
        chunks[chunks.length - 1] += `${JSON.stringify(entryName(kind, key))}: (require, module, helpers) => {\n${code}\n},\n`
      })
    }
    const functions = [...this.#functions].map(([key, code]) => `${JSON.stringify(key)}: ${code},\n`)
    const index = [
      `// ${title}: import this one.`,
      "import { createRequire } from 'node:module'",
      'const require = createRequire(import.meta.url)',
      `export const madeOf = ${JSON.stringify(createFingerprint(this.#options), null, 2)}`,
      `export const chunks = [\n${chunks.map((_, index) => `() => require('./${index}.cjs'),\n`).join('')}]`,
      ...Object.entries(chunkIndexes).map(([kind, keys]) => `export const ${kind} = ${JSON.stringify(keys, null, 0)}`),
      `export const functions = {\n${functions.join('')}}`,
    ]
    return new Map([
      ['index.mjs', `${index.join('\n')}\n`],
      ...chunks.map((code, index): [string, string] => [`${index}.cjs`, `// ${title}.\nmodule.exports = {\n${code}}\n`]),
    ])
  }
}
