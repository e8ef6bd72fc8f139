/** Indexes the routes of a lock by method, URL and constraints. */
import type { Lock, LockedPlugin, LockedRoute } from './lock-types.js'

/** A route of a lock, with the plugin that declares it. */
export interface PlacedRoute {
  readonly route: LockedRoute
  readonly plugin: LockedPlugin
}

/** Returns the routes of a lock by method, URL and constraints: `GET /users`, `GET /users {"version":"2.0.0"}`. */
export function routesOf({ plugins }: Lock): Map<string, PlacedRoute> {
  return new Map(
    plugins.flatMap((plugin) =>
      plugin.routes.flatMap((route) => {
        const placed: PlacedRoute = { route, plugin }
        return route.methods.map((method): [string, PlacedRoute] => [routeTitle(method, route), placed])
      }),
    ),
  )
}

/** Returns the title of a route for one or several of its methods: `GET /users`. */
export function routeTitle(methods: string, { url, constraints }: LockedRoute): string {
  return [methods, url, ...(Object.keys(constraints).length > 0 ? [JSON.stringify(constraints)] : [])].join(' ')
}
