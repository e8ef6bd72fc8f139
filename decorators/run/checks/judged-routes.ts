/** Reads the routes of a server, or of a blueprint, in the form that access rules check. */
import type { RouteDescription } from '../../../lib/index.js'
import { type ApplicationFacts, describeApplication, securityOfGuards } from '../../../lib/internal.js'
import { runsBeforeHandler } from '../../declare/hook.js'
import type { JudgedRoute } from '../../wiring/access/judge.js'
import { aroundsOf, type AroundUse, collectArounds } from '../../wiring/arounds.js'
import type { PluginNode, RouteNode } from '../../wiring/nodes.js'
import { sourceOf } from '../bind-methods.js'
import { ownerOfContext, routeOfClass } from '../declare-in-context.js'

type RouteFacts = ApplicationFacts['routes'][number]

/**
 * Returns the routes that access rules check, each once, without the HEAD routes that were added to GET routes, which have the same hooks.
 * @param root the root plugin from which the server or the blueprint was made
 */
export function readJudgedRoutes(facts: ApplicationFacts, root: PluginNode): JudgedRoute[] {
  const arounds = collectArounds(root)
  let descriptions: readonly RouteDescription[] | undefined
  const seen = new Set<RouteNode>()
  return facts.routes.flatMap((route, index): JudgedRoute[] => {
    const { declared, context, path: place, methods } = route
    const node = routeOfClass(declared)
    // A route `/` below a prefix has two paths, with a slash at the end and without one.
    const isTwin = node === undefined ? declared.url !== declared.shownUrl : seen.has(node)
    if (declared.isImplicitHead || isTwin) return []
    if (node !== undefined) seen.add(node)
    return [
      {
        plugin: node?.plugin ?? ownerOfContext(context) ?? root,
        Class: node?.Class,
        place,
        methods,
        url: node?.fullUrl ?? declared.url,
        hooks: hooksOf(route, node === undefined ? [] : aroundsOf(node, arounds)),
        security: securityOfGuards(route),
        describe: () => (descriptions ??= describeApplication(facts, []).routes)[index]!,
      },
    ]
  })
}

/** Returns the hooks of a route that run before its handler: the classes and functions as the application lists them. */
function hooksOf({ hooks }: RouteFacts, arounds: readonly AroundUse[]): unknown[] {
  const left = arounds.map(({ hook, plugin }) => ('member' in hook ? (plugin.Class.prototype[hook.member] as unknown) : hook))
  return hooks
    .filter(({ hook }) => runsBeforeHandler(hook))
    .flatMap(({ hookFunction }) => (hookFunction === undefined ? left.splice(0, 1) : [sourceOf(hookFunction)]))
}
