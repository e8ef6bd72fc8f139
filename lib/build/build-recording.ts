/** Records the schemas and functions that a server compiles, and writes them as a module. */
import { join } from 'node:path'
import { errorCodes } from '../errors/codes.js'
import { createFingerprint, type EngineOptions, entryName, functionKey, type SchemaKind } from './prebuilt.js'

/** The number of characters of code in one file of a build after which the next file is begun. */
const CHUNK_SIZE = 200_000

const title = 'Written by alcove build'

/** An object that receives the compiled schemas of a server, to write them into a build. */
export interface BuildSink {
  add(kind: SchemaKind, key: string, code: string): void
  /** Records that no code can be written for a validator, because these keywords of its schema are implemented by functions. */
  leave(key: string, keywords: readonly string[]): void
}

/** The report of a build: the keywords whose schemas are missing from the build. */
export interface BuildReport {
  /**
   * The keywords of validator plugins that are implemented by functions. A build lacks the schemas that use such a keyword; the server
   * compiles these schemas itself.
   */
  readonly keywordsLeft: readonly string[]
}

/**
 * A recording of the schemas and functions that a server compiles. It is written as a module, so that other servers need not compile them.
 * ```ts
 * const recording = new BuildRecording()
 * const server = createServer({ prebuilt: recording })
 * // … plugins and routes
 * await server.ready()
 * await recording.write('alcove.build')
 * ```
 */
export class BuildRecording {
  #options: EngineOptions = { problem: 'no server was created with this recording as its option prebuilt' }
  readonly #sources: ((sink: BuildSink) => void)[] = []
  readonly #functions = new Map<string, string>()

  /**
   * Begins the recording of a server: keeps the options of its schema engines, and a function that writes its compiled schemas into a
   * build.
   * @internal
   */
  start(options: EngineOptions, source: (sink: BuildSink) => void): void {
    this.#options = options
    this.#sources.push(source)
  }

  /** Adds a function whose code the router has generated to the recording, so that the built application need not generate it. @internal */
  addFunction(parameters: readonly string[], body: string): void {
    this.#functions.set(functionKey(parameters, body), `function (${parameters.join(', ')}) {\n${body}\n}`)
  }

  /**
   * Writes the recorded modules into a directory. Import `index.mjs`, which loads the other files when they are needed. Files of an earlier
   * build are removed.
   * @throws ALC_ERR_BUILD_OPTIONS if the options of the engines cannot be compared: a server could then not tell whether the build was made
   * with the same options
   */
  async write(directory: string): Promise<BuildReport> {
    const { files, report } = this.#files()
    const { mkdir, readdir, readFile, rm, writeFile } = await import('node:fs/promises')
    await mkdir(directory, { recursive: true })
    for (const name of await readdir(directory)) {
      if (!/^\d+\.cjs$/.test(name) || files.has(name)) continue
      const path = join(directory, name)
      if ((await readFile(path, 'utf8')).startsWith(`// ${title}`)) await rm(path)
    }
    for (const [name, text] of files) await writeFile(join(directory, name), text)
    return report
  }

  #files(): { files: Map<string, string>; report: BuildReport } {
    if ('problem' in this.#options) throw new errorCodes.ALC_ERR_BUILD_OPTIONS(this.#options.problem)
    const chunkIndexes: Record<SchemaKind, Record<string, number>> = { validators: {}, serializers: {} }
    const chunks: string[] = ['']
    const left = new Set<string>()
    const keywordsLeft = new Set<string>()
    const sink: BuildSink = {
      add(kind, key, code) {
        if (Object.hasOwn(chunkIndexes[kind], key)) return
        if (chunks.at(-1)!.length > CHUNK_SIZE) chunks.push('')
        chunkIndexes[kind][key] = chunks.length - 1
        chunks[chunks.length - 1] += `${JSON.stringify(entryName(kind, key))}: (require, module, helpers) => {\n${code}\n},\n`
      },
      leave(key, keywords) {
        left.add(key)
        for (const keyword of keywords) keywordsLeft.add(keyword)
      },
    }
    for (const source of this.#sources) source(sink)
    const functions = [...this.#functions].map(([key, code]) => `${JSON.stringify(key)}: ${code},\n`)
    const index = [
      `// ${title}: import this one.`,
      "import { createRequire } from 'node:module'",
      'const require = createRequire(import.meta.url)',
      `export const madeOf = ${JSON.stringify(createFingerprint(this.#options), null, 2)}`,
      `export const chunks = [\n${chunks.map((_, index) => `() => require('./${index}.cjs'),\n`).join('')}]`,
      ...Object.entries(chunkIndexes).map(([kind, keys]) => `export const ${kind} = ${JSON.stringify(keys, null, 0)}`),
      `export const left = ${JSON.stringify([...left])}`,
      `export const functions = {\n${functions.join('')}}`,
    ]
    const files = new Map([
      ['index.mjs', `${index.join('\n')}\n`],
      ...chunks.map((code, index): [string, string] => [`${index}.cjs`, `// ${title}.\nmodule.exports = {\n${code}}\n`]),
    ])
    return { files, report: { keywordsLeft: [...keywordsLeft] } }
  }
}
