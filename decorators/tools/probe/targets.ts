/** The routes to probe, with the schemas of their requests. */
import type { RouteDescription, Server } from '../../../lib/index.js'
import { describeApplication, type PathParameter, readApplicationFacts, splitPath } from '../../../lib/internal.js'
import { withoutSlashTwins } from '../../contract/describe.js'
import { behindReference, type ComponentSchemas } from '../../contract/openapi/component-references.js'
import { Components } from '../../contract/openapi/components.js'
import { converterFor } from '../../contract/openapi/operations.js'

type Schema = any

/** A route to probe, for one of its methods. */
export interface Target {
  /** The method and the path: `POST /notes/:id`. */
  readonly label: string
  readonly method: string
  readonly route: RouteDescription
  /** The fixed texts of the path, between its parameters. */
  readonly texts: readonly string[]
  readonly parameters: readonly PathParameter[]
  /** The schemas of the params, query, headers and cookies. References lead to `components`. */
  readonly params: Schema
  readonly query: Schema
  readonly headers: Schema
  readonly cookies: Schema
  /** The schemas of the body, by media type. */
  readonly bodies: readonly (readonly [type: string, schema: Schema])[]
  readonly readsBody: boolean
  /** Whether a reply may be a stream, which may never end. */
  readonly isStream: boolean
  readonly components: ComponentSchemas
}

/** Returns the routes of a server that is ready, without the HEAD routes that were added to GET routes. */
export function targetsOf(server: Server): Target[] {
  const description = describeApplication(readApplicationFacts(server), [])
  const components = new Components(() => {})
  return withoutSlashTwins(description.routes)
    .filter(({ isAutomatic }) => !isAutomatic)
    .flatMap((route) => {
      const convert = converterFor(route, 'Probe', { components, description })
      const { params = {}, querystring = {}, headers = {}, cookies = {}, body = {} } = route.input
      const parts = {
        route,
        ...splitPath(route.url),
        params: convert(params, 'params', 'Params') as Schema,
        query: convert(querystring, 'querystring', 'Query') as Schema,
        headers: convert(headers, 'headers', 'Headers') as Schema,
        cookies: convert(cookies, 'cookies', 'Cookies') as Schema,
        bodies: Object.entries(body).map(([type, schema]) => [type, convert(schema, `body ${type}`, 'Body') as Schema] as const),
        isStream: Object.values(route.responses).some(({ itemSchema }) => itemSchema !== undefined),
        components: components.schemas,
      }
      return route.methods.map((method): Target => {
        const readsBody = route.limits.bodyLimit !== undefined && route.methodsWithoutBody?.includes(method) !== true
        return { ...parts, label: `${method} ${route.url}`, method, readsBody }
      })
    })
}

/** Returns the schema of a member, such as a path parameter, in the schema of params or headers; the schema of any text if there is none. */
export function memberOf(part: Schema, name: string, components: ComponentSchemas): Schema {
  const { properties = {} } = (behindReference(part, components) ?? {}) as { properties?: Record<string, Schema> }
  return Object.hasOwn(properties, name) ? properties[name] : { type: 'string' }
}
