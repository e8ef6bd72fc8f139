/**
 * Reads the metadata of a plugin function, which fastify-plugin and its users write: the name, the range of interface versions, and
 * the plugins and decorators that it depends on.
 */
import { createRequire } from 'node:module'
import coerce from 'semver/functions/coerce.js'
import isLater from 'semver/functions/gt.js'
import satisfies from 'semver/functions/satisfies.js'
import type { Context } from '../../context/context.js'
import { errorCodes } from '../../errors/codes.js'
import { ownUrl } from '../../util/own-url.js'
import { kDisplayName, kPluginMeta, kSkipOverride } from '../../util/symbols.js'

const require = createRequire(ownUrl)

/**
 * Versions of Fastify that a plugin may require besides the version of the instance, so that plugins for Fastify 4 and for Fastify 5 load.
 */
const otherVersions = ['4.26.2', '5.0.0', '5.99.99']

/** The key under which a wrapped plugin function keeps the function that was registered. */
export const kOriginal = Symbol('alcove.original')

interface PluginMeta {
  name?: string
  fastify?: string
  dependencies?: string[]
  decorators?: { fastify?: (string | symbol)[]; request?: (string | symbol)[]; reply?: (string | symbol)[] }
}

type PluginFunction = ((...args: any[]) => any) & {
  [kSkipOverride]?: boolean
  [kDisplayName]?: string
  [kPluginMeta]?: PluginMeta
  [kOriginal]?: PluginFunction
}

/** Returns the name of a plugin in context paths and errors. */
export function pluginName(plugin: PluginFunction): string {
  if (plugin[kDisplayName]) return plugin[kDisplayName]
  // Plugins that autoload finds are often anonymous, or have the same name. Applications and tools for Fastify know them by their files.
  const file = pluginFile(plugin)
  if (file !== undefined) return file
  if (plugin.name) return plugin.name
  // An anonymous function is named by its first two lines.
  return plugin
    .toString()
    .split('\n', 2)
    .map((line) => line.trim())
    .join(' -- ')
}

/** Returns the path of the CommonJS module that exports a plugin, if there is one. */
function pluginFile(pluginFunction: PluginFunction): string | undefined {
  const plugin = pluginFunction[kOriginal] ?? pluginFunction
  // A single executable application has no cache.
  const modules = require.cache ?? {}
  return Object.keys(modules).find((file) => modules[file]?.exports === plugin)
}

/** Whether a plugin shares the context that it is registered in (fastify-plugin), so that its declarations belong to that context. */
export function isShared(plugin: object): boolean {
  return (plugin as PluginFunction)[kSkipOverride] === true
}

/**
 * Checks that the context fulfils the requirements of a plugin that is registered in it, and adds the plugin's name to the context.
 * @throws ALC_ERR_PLUGIN_VERSION_MISMATCH, ALC_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE, ALC_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED
 */
export function checkPluginMetadata(plugin: PluginFunction, context: Context): void {
  const meta = plugin[kPluginMeta]
  const { conventions } = context.options
  const nameOf = (): string => meta?.name ?? pluginName(plugin)
  conventions.assertPlugin(plugin[kOriginal] ?? plugin, nameOf)
  if (meta === undefined || meta === null) return
  const name = nameOf()
  if (meta.name) noteName(context, meta.name)
  if (meta.fastify && !isVersionAccepted(meta.fastify, context.instance.version)) {
    throw new errorCodes.ALC_ERR_PLUGIN_VERSION_MISMATCH(name, meta.fastify, context.instance.version)
  }
  const { fastify = [], request = [], reply = [] } = meta.decorators ?? {}
  const requiredBy = typeof meta.name === 'string' ? ` required by '${meta.name}'` : ''
  const assertPresent = (names: (string | symbol)[], has: (name: string | symbol) => boolean, where: string): void => {
    for (const decorator of names)
      if (!has(decorator)) throw new errorCodes.ALC_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE(String(decorator), requiredBy, where)
  }
  assertPresent(fastify, (decorator) => decorator in context.instance, 'Fastify')
  assertPresent(reply, (decorator) => context.replies.has(decorator), 'Reply')
  assertPresent(request, (decorator) => context.requests.has(decorator), 'Request')
  for (const dependency of meta.dependencies ?? []) {
    if (!context.registeredPlugins.has(dependency)) throw new errorCodes.ALC_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED(dependency, name)
  }
}

/**
 * Whether the version range of a plugin contains the version of the instance, or one of `otherVersions`.
 * @param version the version of the instance, which an application may have overridden to try plugins with a later version
 */
function isVersionAccepted(range: string, version: string): boolean {
  // As in Fastify, a release candidate accepts plugins for the versions before it.
  const earliest = /-(?:rc|pre|alpha)/.test(version) ? coerce(range) : null
  if (earliest !== null && isLater(version, earliest)) return true
  return [version, ...otherVersions].some((each) => satisfies(each, range, { includePrerelease: true }))
}

// Contexts below that exist already must find the plugin too.
function noteName(context: Context, name: string): void {
  context.registeredPlugins.add(name)
  for (const child of context.children) noteName(child, name)
}
