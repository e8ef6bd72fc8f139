/**
 * The options that change the code which the default engines and the router generate. A build and a server fit together only if these
 * options are equal.
 */
import { packageOf, type PluginPackage } from '../../build/plugin-packages.js'
import type { EngineOptions, RouterFacts } from '../../build/prebuilt.js'
import type { ServerOptions } from '../../types/options.js'
import { pluginsOf } from '../ajv/plugins.js'
import { jsonText } from './check.js'

export function describeEngineOptions(serverOptions: Readonly<ServerOptions>): EngineOptions {
  const { jsv = {}, serializerOpts = {} } = serverOptions
  const { onCreate, customOptions = {} } = jsv
  if (onCreate !== undefined) return { problem: 'jsv.onCreate is a function, whose changes of ajv cannot be compared' }
  const packages: PluginPackage[] = []
  const described: object[] = []
  for (const [index, { apply, options = null }] of pluginsOf(jsv).entries()) {
    const found = packageOf(apply)
    if (found === undefined) return { problem: `jsv.plugins[${index}] is not exported by a CommonJS module of an installed package` }
    if (jsonText(options) === undefined) return { problem: `the options of jsv.plugins[${index}] are not JSON` }
    packages.push(found)
    described.push({ plugin: found.identity, options })
  }
  const text = jsonText({ customOptions, serializerOpts, ...(described.length > 0 && { plugins: described }) })
  return text === undefined
    ? { problem: 'a value in jsv.customOptions or serializerOpts is not JSON' }
    : { text, packages, router: routerFacts(serverOptions) }
}

function routerFacts(options: Readonly<ServerOptions>): RouterFacts {
  const { caseSensitive, ignoreTrailingSlash, ignoreDuplicateSlashes, maxParamLength, useSemicolonDelimiter, exposeHeadRoutes } = options
  return {
    caseSensitive,
    ignoreTrailingSlash,
    ignoreDuplicateSlashes,
    maxParamLength,
    useSemicolonDelimiter,
    exposeHeadRoutes,
    constraints: Object.keys(options.constraints ?? {}),
    'routerOptions.compile': options.routerOptions?.compile === true,
  }
}
