/** What the contexts of a server hold, as plain data: for `explain`, for tools and for the curious. */
import type { Context } from './context.js'
import type { Server } from './contract.js'
import { kContext } from './symbols.js'

export interface ContextDescription {
  /** Class or plugin name. */
  readonly name: string
  /** From the root: `App > PublicPlugin`. */
  readonly path: string
  readonly prefix: string
  /** Request decorators that this context itself adds. */
  readonly requestDecorators: readonly (string | symbol)[]
  readonly replyDecorators: readonly (string | symbol)[]
  readonly routes: readonly RouteDescription[]
  readonly children: readonly ContextDescription[]
}

export interface RouteDescription {
  readonly method: string | readonly string[]
  readonly url: string
  /** Made beside a GET route. */
  readonly isAutomatic: boolean
}

/** Describes the context of an instance and everything below it. */
export function describeContexts(server: Server): ContextDescription {
  return describe((server as unknown as { [kContext]: Context })[kContext])
}

function describe(context: Context): ContextDescription {
  return {
    name: context.names[0]!,
    path: context.path,
    prefix: context.prefix,
    requestDecorators: context.requests.ownNames,
    replyDecorators: context.replies.ownNames,
    routes: context.routes.map(({ method, url, isAutomatic }) => ({ method, url, isAutomatic })),
    children: context.children.map(describe),
  }
}
