/**
 * What is compiled ahead of time: a recording of a server's compiled schemas and router functions becomes the text of a module, and
 * a server that is given the module takes them from there.
 */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'

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
  alcove: '../../../package.json',
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

/** The name of a compiled schema in its chunk. */
export const entryName = (kind: SchemaKind, key: string): string => `${kind} ${key}`

/** The name of a generated function in a build. */
export const functionKey = (parameters: readonly string[], body: string): string => digest(`${parameters.join()}\n${body}`)

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
