/**
 * Builds: modules with schemas and router functions that were compiled ahead of time. A recording writes a build, a server reads it.
 *
 * A server relies on equal versions, options and validator plugins (`readBuild` compares them all, and ignores the build if one differs),
 * and on keys that are digests of the whole source: a changed schema has another key, so it is not found in the build and is compiled. Keys
 * are looked up among own properties only. A build is code of the application, as trusted as its other modules. No request chooses a key,
 * and nothing is added to a build after it was loaded.
 */
import { createRequire } from 'node:module'
import { createHash } from '../util/node/modules.js'
import { findOwn } from '../util/node/own-files.js'
import { ownUrl } from '../util/own-url.js'
import { type PluginPackage, type RequireForBuild, requireForBuild } from './plugin-packages.js'

/** The function that loads the package.json files of the libraries, for their versions. */
const require = createRequire(ownUrl)

/** The code of a CommonJS module as a function, which sets `module.exports`. */
type WrappedModule = (require: RequireForBuild, module: { exports: any }, helpers: object) => void

/** The module that a recording writes: `import * as build from './alcove.build/index.mjs'`. */
export interface Prebuilt {
  readonly madeOf: BuildFingerprint
  /** Functions that load one file of compiled schemas each. Files that no request needs are never read. */
  readonly chunks: readonly (() => Readonly<Record<string, WrappedModule>>)[]
  /** The index in `chunks` of the file that contains a compiled validator, by the key of its schema. */
  readonly validators: Readonly<Record<string, number>>
  readonly serializers: Readonly<Record<string, number>>
  /** The keys of validators that the server compiles itself, because no code could be written for them. */
  readonly left: readonly string[]
  readonly functions: Readonly<Record<string, (...parameters: any[]) => any>>
}

/** The versions and options that a build was made with. Only a server with the same versions and options uses the build. */
interface BuildFingerprint {
  /** The versions of alcove and of the libraries whose code the build contains, by name. */
  readonly versions: Readonly<Record<string, string>>
  /** The options of the schema engines, as JSON text. */
  readonly options: string
  /**
   * The options of the router. A server with other options of the router uses the build too, and compiles the router functions that the
   * build lacks.
   */
  readonly router: RouterFacts
}

/** The options of the router, by name, that change the code of the functions which the router generates. */
export type RouterFacts = Readonly<Record<string, unknown>>

/**
 * The options of the schema engines as a text that can be compared, and the packages of the validator plugins that this text names; or the
 * reason why the options cannot be compared (`problem`).
 */
export type EngineOptions =
  | { readonly text: string; readonly packages: readonly PluginPackage[]; readonly router: RouterFacts }
  | { readonly problem: string }

let isCodeGenerated: boolean | undefined
/** The constructor `Function`. It is kept here because the router replaces the global `Function` for a moment. */
const Compiler = globalThis.Function

/**
 * Whether this process may generate code from strings, as the schema engines do. Node's option `--disallow-code-generation-from-strings`
 * forbids it.
 */
export function canGenerateCode(): boolean {
  if (isCodeGenerated === undefined) {
    try {
      isCodeGenerated = typeof Reflect.construct(Compiler, ['']) === 'function'
    } catch {
      isCodeGenerated = false
    }
  }
  return isCodeGenerated
}

export type SchemaKind = 'validators' | 'serializers'

/** The files from which the versions of the libraries are read, by library. The version of alcove is read from its own package.json. */
const libraries = {
  ajv: 'ajv/package.json',
  'ajv-formats': 'ajv-formats/package.json',
  'fast-json-stringify': 'fast-json-stringify/package.json',
  'find-my-way': 'find-my-way/package.json',
}

export function createFingerprint({ text, router }: Exclude<EngineOptions, { readonly problem: string }>): BuildFingerprint {
  const own = findOwn('package.json') ?? 'alcove/package.json'
  const versions = Object.entries({ alcove: own, ...libraries }).map(([name, file]) => [
    name,
    (require(file) as { version: string }).version,
  ])
  return { versions: Object.fromEntries(versions), options: text, router }
}

/** Returns a short key for a text. Equal texts have equal keys. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 24)
}

/** Returns the name of a compiled schema in the file that contains it. */
export const entryName = (kind: SchemaKind, key: string): string => `${kind} ${key}`

/** Returns the key under which a build contains a function that the router generates. */
export const functionKey = (parameters: readonly string[], body: string): string => digest(`${parameters.join()}\n${body}`)

/** The contents of a build. Functions are found by the digest of the source that they were compiled from. */
export interface BuildSource {
  has(kind: SchemaKind, key: string): boolean
  /**
   * Whether the build knows a schema and contains no validator for it, because none could be written as code: the server then compiles the
   * schema.
   */
  isLeft(key: string): boolean
  /** Returns the compiled function of a schema, if the build contains it. The code of the function may call the helpers. */
  schema(kind: SchemaKind, key: string, helpers?: object): any
  /** Returns the router's function with this source, if the build contains it. */
  routerFunction(parameters: readonly string[], body: string): ((...parameters: any[]) => any) | undefined
  /** The options of the router that differ between the build and this server: `caseSensitive is true in the build, false here`. */
  readonly routerDifferences: readonly string[]
}

/** Reads a build. If the build was made with other versions or options than the server's, warns and returns `undefined`. */
export function readBuild(prebuilt: Prebuilt, options: EngineOptions, warn: (text: string) => void): BuildSource | undefined {
  if ('problem' in options) {
    warn(`Ignoring the prebuilt schemas: ${options.problem}.`)
    return undefined
  }
  const current = createFingerprint(options)
  const differing = Object.keys(current.versions)
    .filter((name) => prebuilt.madeOf?.versions?.[name] !== current.versions[name])
    .map((name) => `${name} ${prebuilt.madeOf?.versions?.[name] ?? 'none'} in the build, ${current.versions[name]} here`)
  if (prebuilt.madeOf?.options !== current.options)
    differing.push(`options of the engines ${prebuilt.madeOf?.options} in the build, ${current.options} here`)
  if (differing.length > 0) {
    warn(
      `Ignoring the prebuilt schemas: they were built with different versions or options (${differing.join('; ')}). Run alcove build again.`,
    )
    return undefined
  }
  const requireModule = requireForBuild(options.packages)
  const left = new Set(prebuilt.left)
  return {
    isLeft: (key) => left.has(key),
    has: (kind, key) => Object.hasOwn(prebuilt[kind], key),
    schema(kind, key, helpers = {}) {
      if (!Object.hasOwn(prebuilt[kind], key)) return undefined
      const module: { exports: any } = { exports: {} }
      prebuilt.chunks[prebuilt[kind][key]!]!()[entryName(kind, key)]!(requireModule, module, helpers)
      return module.exports
    },
    routerFunction(parameters, body) {
      const key = functionKey(parameters, body)
      return Object.hasOwn(prebuilt.functions, key) ? prebuilt.functions[key] : undefined
    },
    routerDifferences: Object.entries(current.router).flatMap(([name, value]) => {
      const [here, there] = [value, prebuilt.madeOf.router[name]].map((each) => JSON.stringify(each))
      return here === there ? [] : [`${name} is ${there} in the build, ${here} here`]
    }),
  }
}
