/** Describes an application as data: of a plugin class, without constructing anything, or of a server that is ready. */
import type { ApplicationDescription, RouteDescription, Server } from '../../lib/index.js'
import { type ApplicationFacts, describeApplication, readApplicationFacts } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import type { BootstrapOptions } from '../run/bootstrap-options.js'
import { readWiring } from '../run/bootstrap.js'
import { createApplicationBlueprint, faultsOfReplies, pathsThatMayAddRoutes } from '../run/blueprint.js'
import { WiringError } from '../wiring/faults.js'
import { allPlugins, type PluginNode } from '../wiring/nodes.js'
import type { Wiring } from '../wiring/provider-record.js'

/**
 * Describes all routes of an application as plain data: their inputs and responses, hooks, security, limits and texts.
 * ```ts
 * const { routes } = describe(App)
 * for (const { methods, url, responses } of routes) console.log(methods, url, Object.keys(responses))
 * ```
 * A class is read as `check` reads it: no class is constructed, no plugin function runs, and no port or file is opened. The description
 * lacks everything that plugin functions and `setup` methods add; its list `mayAddRoutes` names these functions and methods. A server that
 * is ready is described with all its routes, programmatic ones included.
 * @param of a plugin class, or a server that is ready
 * @param options for a class: the options that `bootstrap` gets, as `bodyLimit` and `handlerTimeout` are part of the description. For a
 * server they are ignored, because a server has options already
 * @throws WiringError (ALC_ERR_WIRING) with all faults of a class; also if replies or security schemes that a server declares contradict
 * each other. Errors with the codes of `createServer` for invalid options, invalid routes and invalid schemas
 */
export function describe(of: Class | Server, options: BootstrapOptions = {}): ApplicationDescription {
  return typeof of === 'function' ? readApplication(of, options).description : describeFacts(readApplicationFacts(of))
}

/** An application that was read from its root class, without constructing anything. */
export interface ReadApplication {
  readonly root: PluginNode
  readonly wiring: Wiring
  /** The facts of the routes, in the order of `description.routes`. */
  readonly facts: ApplicationFacts
  readonly description: ApplicationDescription
}

/** Reads the module tree, the wiring and the description of an application. @throws the errors of {@link describe} */
export function readApplication(App: Class, options: BootstrapOptions): ReadApplication {
  const { root, wiring } = readWiring(App, new Map())
  const facts = readApplicationFacts(createApplicationBlueprint(root, wiring, options))
  return { root, wiring, facts, description: describeFacts(facts, root) }
}

function describeFacts(facts: ApplicationFacts, root?: PluginNode): ApplicationDescription {
  const mayAddRoutes = root === undefined ? [] : pathsThatMayAddRoutes(root)
  const faults = faultsOfReplies(facts, root && allPlugins(root), mayAddRoutes.length === 0)
  const description = describeApplication(facts, mayAddRoutes)
  if (faults.length > 0) throw new WiringError(description.name, faults)
  return description
}

/**
 * Returns each route once. A route `/` below a prefix is declared twice, with and without a slash at the end of its path (`/users/`,
 * `/users`); documents and clients contain only the path without the slash.
 */
export function withoutSlashTwins(routes: readonly RouteDescription[]): readonly RouteDescription[] {
  const withoutUrl = ({ url: _url, ...rest }: RouteDescription): string => JSON.stringify(rest)
  const byUrl = new Map<string, RouteDescription[]>()
  for (const route of routes) byUrl.set(route.url, [...(byUrl.get(route.url) ?? []), route])
  return routes.filter((route) => {
    const twins = route.url.endsWith('/') ? byUrl.get(route.url.slice(0, -1)) : undefined
    return twins?.some((twin) => withoutUrl(twin) === withoutUrl(route)) !== true
  })
}
