/**
 * What is compiled ahead of time: a recording of a server's compiled schemas and router functions becomes the text of a module, and
 * a server that is given the module takes them from there.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Runs the generated code: what it takes from a library is looked up from here. */
const require = createRequire(import.meta.url)

/** Code of a CommonJS module in a function. */
type Wrapped = (require: NodeJS.Require, module: { exports: any }, helpers: object) => void

/** The module that a recording writes: `import * as build from './alcove.build/index.mjs'`. */
export interface Prebuilt {
  readonly madeOf: MadeOf
  /** Files of compiled schemas; what no request needs is not even read. */
  readonly chunks: readonly (() => Readonly<Record<string, Wrapped>>)[]
  /** Which chunk a schema is in. */
  readonly validators: Readonly<Record<string, number>>
  readonly serializers: Readonly<Record<string, number>>
  readonly functions: Readonly<Record<string, (...parameters: any[]) => any>>
}

/** What a build holds good for, besides the schemas themselves. */
interface MadeOf {
  /** of alcove and of the libraries whose code it contains */
  readonly versions: Readonly<Record<string, string>>
  /** JSON of the engines' options; `undefined`: they cannot be compared */
  readonly options: string | undefined
}

let isCodeGenerated: boolean | undefined

/** Whether engines can compile at all: not under `--disallow-code-generation-from-strings`. */
export function canGenerateCode(): boolean {
  if (isCodeGenerated === undefined) {
    try {
      isCodeGenerated = typeof Reflect.construct(Function, ['']) === 'function'
    } catch {
      isCodeGenerated = false
    }
  }
  return isCodeGenerated
}

export type SchemaKind = 'validators' | 'serializers'

const libraries = {
  alcove: '../../../../package.json',
  ajv: 'ajv/package.json',
  'ajv-formats': 'ajv-formats/package.json',
  'fast-json-stringify': 'fast-json-stringify/package.json',
  'find-my-way': 'find-my-way/package.json',
}

export function madeOf(options: string | undefined): MadeOf {
  const versions = Object.entries(libraries).map(([name, file]) => [name, (require(file) as { version: string }).version])
  return { versions: Object.fromEntries(versions), options }
}

/** A short name for a text. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 24)
}

/** Compiled schemas and functions by the digest of what they were made from. */
export interface BuildSource {
  has(kind: SchemaKind, key: string): boolean
  /** What a schema was compiled to. Its code may call the helpers. */
  schema(kind: SchemaKind, key: string, helpers?: object): any
  /** The function of a source, if it is known. */
  routerFunction(parameters: readonly string[], body: string): ((...parameters: any[]) => any) | undefined
}

/** Reads a build; what differs from this server is said, and nothing is taken from it. */
export function readBuild(prebuilt: Prebuilt, current: MadeOf, warn: (text: string) => void): BuildSource | undefined {
  const differing = Object.keys(current.versions)
    .filter((name) => prebuilt.madeOf?.versions?.[name] !== current.versions[name])
    .map((name) => `${name} ${prebuilt.madeOf?.versions?.[name] ?? 'none'} in the build, ${current.versions[name]} here`)
  if (current.options === undefined) differing.push('engine options that are not JSON-serializable')
  else if (prebuilt.madeOf?.options !== current.options)
    differing.push(`engine options ${prebuilt.madeOf?.options ?? 'none'} in the build, ${current.options} here`)
  if (differing.length > 0) {
    warn(
      `Ignoring the prebuilt schemas: they were built with different versions or options (${differing.join('; ')}). Run alcove build again.`,
    )
    return undefined
  }
  return {
    has: (kind, key) => Object.hasOwn(prebuilt[kind], key),
    schema(kind, key, helpers = {}) {
      if (!Object.hasOwn(prebuilt[kind], key)) return undefined
      const module = { exports: {} as any }
      prebuilt.chunks[prebuilt[kind][key]!]!()[entryName(kind, key)]!(require, module, helpers)
      return module.exports
    },
    routerFunction(parameters, body) {
      const key = functionKey(parameters, body)
      return Object.hasOwn(prebuilt.functions, key) ? prebuilt.functions[key] : undefined
    },
  }
}

/** Characters of code in a file. */
const CHUNK_SIZE = 200_000

const title = 'Written by alcove build'

const entryName = (kind: SchemaKind, key: string): string => `${kind} ${key}`

const functionKey = (parameters: readonly string[], body: string): string => digest(`${parameters.join()}\n${body}`)

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
