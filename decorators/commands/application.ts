/** Loads the exports of an application's module for a command. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ApplicationDescription } from '../../lib/index.js'
import { isObject } from '../../lib/internal.js'
import { describe } from '../contract/describe.js'
import { otherCopyOf } from '../declare/copies.js'
import type { Class } from '../declare/metadata.js'
import { getPluginOptions } from '../declare/plugin.js'
import type { BootstrapOptions } from '../run/bootstrap-options.js'
import { functionMayAddRoutes, pathsThatMayAddRoutes } from '../run/blueprint.js'
import { buildModuleTree } from '../wiring/module-tree.js'
import type { FunctionNode } from '../wiring/nodes.js'
import { loadModule, UsageError } from './modules.js'

/** Returns the export of a module with this name; `undefined` if there is none. */
async function loadExport(file: string, name: string): Promise<unknown> {
  return (await loadModule(file))[name]
}

/** Returns the server options that a module exports, by default under the name `options`; an empty object if there are none. */
export async function loadOptions(file: string, name: string | undefined): Promise<BootstrapOptions> {
  return (await loadExportedOptions(file, 'options', name)) ?? {}
}

/**
 * Returns an object of options that a module exports; `undefined` if there is none under the default name.
 * @param flag the flag that takes the name of the export, and the default name
 * @throws UsageError for another value, such as a function, which would have no effect
 */
export async function loadExportedOptions(
  file: string,
  flag: 'options' | 'document' | 'probe',
  name: string | undefined,
): Promise<object | undefined> {
  const found = await loadExport(file, name ?? flag)
  if (name === undefined && (found === undefined || found === null)) return undefined
  if (isObject(found)) return found
  if (name !== undefined) throw new UsageError(`${file} exports no options named ${name}.`)
  throw new UsageError(`${file} exports ${flag}, which is not an object of options. Export an object, or name another export by --${flag}.`)
}

/**
 * Describes an application without starting it, and warns of each plugin function and `setup` method that may add routes at boot.
 * @param options the name of the export that contains the options of the server
 * @param hint a sentence for the warning that says how to include these routes
 * @param warn a function that is called with each warning
 */
export async function describeForCommand(
  file: string,
  App: Class,
  options: string | undefined,
  hint: string,
  warn: (message: string) => void = console.error,
): Promise<ApplicationDescription> {
  const description = describe(App, await loadOptions(file, options))
  const { root } = buildModuleTree(App, new Map())
  for (const path of pathsThatMayAddRoutes(root, mayAddShownRoutes)) warn(`${path} may add routes when it runs. ${hint}`)
  return description
}

/** Whether a plugin function may add routes that are visible in documents and clients. */
function mayAddShownRoutes(entry: FunctionNode): boolean {
  // The texts of a shared plugin are the texts of the importing context.
  return (entry.isShared || entry.replies.docs?.hide !== true) && functionMayAddRoutes(entry)
}

/** @param command the path that the command of the other copy has, unless a bundler has put that copy into the module */
function cureOfCopy(command: string): string {
  if (existsSync(command)) return `Run the command of that copy: node ${command}`
  return 'If a bundler has put that copy into the file, leave alcove out of the bundle (external), or name the module before it is bundled.'
}

/**
 * Returns the plugin class that a module exports under a name; without a name, the export `default` or `App`, or the only plugin class.
 * @throws UsageError if there is no such class
 */
export async function loadApplication(file: string, name: string | undefined): Promise<Class> {
  const module = await loadModule(file)
  const plugins = Object.entries(module).filter(([, value]) => typeof value === 'function' && getPluginOptions(value) !== undefined)
  const wanted =
    name === undefined
      ? (plugins.find(([key]) => key === 'default') ?? plugins.find(([key]) => key === 'App'))
      : plugins.find(([key]) => key === name)
  const found = wanted ?? (name === undefined && plugins.length === 1 ? plugins[0] : undefined)
  if (found !== undefined) return found[1] as Class
  for (const [key, value] of Object.entries(module)) {
    const copy = otherCopyOf(value)
    if (copy !== undefined && (name ?? key) === key)
      throw new UsageError(`${file} exports ${key}, a plugin class of another copy of alcove. ${cureOfCopy(join(copy, 'dist/esm/cli.js'))}`)
  }
  const exported = plugins.map(([key]) => key).join(', ') || 'none'
  const problem =
    name === undefined ? 'neither a default plugin class, nor one named App, nor exactly one' : `no plugin class named ${name}`
  throw new UsageError(`${file} exports ${problem}. Plugin classes there: ${exported}.`)
}
