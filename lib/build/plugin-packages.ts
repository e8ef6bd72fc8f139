/**
 * The packages that validator plugins come from. A server compares the name and version of this package to tell whether a build was made
 * with the same plugin. Node keeps the exports of CommonJS modules, so the module of a plugin is found by its function. An ES module or a
 * bundle keeps no such record, and a function of the application itself has no version, so such plugins have no package here.
 */
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { existsSync, readFileSync } from '../util/node/modules.js'
import { ownUrl } from '../util/own-url.js'

const ownRequire = createRequire(ownUrl)

/** The package that the function of a validator plugin comes from. */
export interface PluginPackage {
  /** The name of the package: `ajv-keywords` */
  readonly name: string
  /**
   * A text that identifies the function by its package, version, module and export: `ajv-keywords@5.1.0/dist/keywords/transform.js default`
   */
  readonly identity: string
  /** The path of the module that exports the function. */
  readonly file: string
}

/** Finds the installed package that exports the function of a validator plugin. @returns `undefined` if there is none */
export function packageOf(plugin: unknown): PluginPackage | undefined {
  const found = Object.values(ownRequire.cache).flatMap((module) => {
    const exported = module === undefined ? undefined : nameOfExport(module.exports, plugin)
    return exported === undefined ? [] : (describeFile(module!.filename, exported) ?? [])
  })
  // A package may export a function from several files. The order in which these are loaded must not matter.
  const order = ({ identity }: PluginPackage): string => `${Number(identity.includes(' '))} ${identity}`
  return found.toSorted((one, other) => (order(one) < order(other) ? -1 : 1))[0]
}

/**
 * Returns the name under which a module exports a plugin; an empty text if the plugin is `module.exports` itself; `undefined` if the module
 * does not export the plugin.
 */
function nameOfExport(exports: unknown, plugin: unknown): string | undefined {
  if (exports === plugin) return ''
  if (exports === null || (typeof exports !== 'object' && typeof exports !== 'function')) return undefined
  // Getters are not called, because one may load a file.
  const named = Object.entries(Object.getOwnPropertyDescriptors(exports)).find(([, { value }]) => value === plugin)
  return named?.[0]
}

function describeFile(file: string, exported: string): PluginPackage | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    const { name, version } = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string }) : {}
    // Some packages have a second package.json in a folder, without these.
    if (name === undefined || version === undefined) continue
    // The sources of an application change without a new version.
    if (!folder.endsWith(join('node_modules', name))) return undefined
    const module = relative(folder, file).replaceAll('\\', '/')
    return { name, identity: `${name}@${version}/${module}${exported && ` ${exported}`}`, file }
  }
  return undefined
}

/** The function `require` of a build's code: loads a module by its id. */
export type RequireForBuild = (id: string) => unknown

/**
 * Makes the function `require` for the code of a build. Modules of a plugin's package are resolved from the file of the plugin, all other
 * modules from alcove.
 */
export function requireForBuild(packages: readonly PluginPackage[]): RequireForBuild {
  return (id) => {
    const own = packages.find(({ name }) => id === name || id.startsWith(`${name}/`))
    return own === undefined ? ownRequire(id) : createRequire(own.file)(id)
  }
}
