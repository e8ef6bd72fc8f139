/** The state that is shared while one OpenAPI document is written. */
import type { ApplicationDescription, RouteDescription } from '../../../lib/index.js'
import type { Components } from './components.js'
import type { OpenApiOptions, OpenApiWarning } from './document-types.js'

export interface DocumentContext {
  readonly description: ApplicationDescription
  readonly options: OpenApiOptions
  readonly components: Components
  warn(kind: OpenApiWarning['kind'], message: string): void
}

/** Returns the name of a route for messages: `GET /users (App > Users.list)`. */
export function routeLabel({ methods, url, place }: RouteDescription): string {
  return `${methods.join(', ')} ${url} (${place})`
}
