/** What the contexts of a server hold, as plain data: for `explain`, for tools and for the curious. */
import type { Context, DeclaredRoute } from '../context/context.js'
import type { LifecycleHookName } from '../types/hooks.js'
import type { HttpPart } from '../types/request.js'
import type { Server } from '../types/server.js'
import { lifecycleHookNames } from '../context/hooks.js'
import { kContext } from '../util/symbols.js'
import { partOrder } from '../schema/validate-request.js'

/** A context and those below it, as {@link describeContexts} describes them. */
export interface ContextDescription {
  /** Class or plugin name. */
  readonly name: string
  /** From the root: `App > PublicPlugin`. */
  readonly path: string
  /** Of its routes, that of its ancestors included; empty for none. */
  readonly prefix: string
  /** Request decorators that this context itself adds. */
  readonly requestDecorators: readonly string[]
  /** Reply decorators that this context itself adds. */
  readonly replyDecorators: readonly string[]
  /** `$id`s of the shared schemas that are visible here. */
  readonly schemas: readonly string[]
  /** The routes declared here, HEAD routes made beside GET routes included. */
  readonly routes: readonly RouteDescription[]
  readonly children: readonly ContextDescription[]
}

/** A route, as {@link describeContexts} describes it. */
export interface RouteDescription {
  /** `GET`, or several: `PUT, PATCH`. */
  readonly method: string
  /** As declared, prefix included: `/users/:id`. */
  readonly url: string
  /** Made beside a GET route. */
  readonly isAutomatic: boolean
  /** Name of the handler function; in decorated applications the path of the class. */
  readonly handler: string
  /** In the order in which they run. */
  readonly hooks: readonly HookDescription[]
  /** Request parts that are validated. */
  readonly parts: readonly HttpPart[]
  /** Statuses with a serializer: `200`, `2xx`, `default`. */
  readonly responses: readonly string[]
}

/** A hook that runs for a route. */
export interface HookDescription {
  readonly hook: LifecycleHookName
  /** Name of the function. */
  readonly name: string
  /** Path of the context that added it; `route` when the route itself carries it. */
  readonly from: string
}

/**
 * Describes the context of an instance and everything below it, as far as it is declared: all of it after `ready`.
 * ```ts
 * for (const { method, url, hooks } of describeContexts(server).routes) console.log(method, url, hooks.map(({ name }) => name))
 * ```
 */
export function describeContexts(server: Server): ContextDescription {
  return describe((server as unknown as { [kContext]: Context })[kContext])
}

function describe(context: Context): ContextDescription {
  return {
    name: context.names[0]!,
    path: context.path,
    prefix: context.prefix,
    requestDecorators: context.requests.ownNames.filter(isOfApplication).map(String),
    replyDecorators: context.replies.ownNames.filter(isOfApplication).map(String),
    schemas: Object.keys(context.schemas.getSchemas()),
    routes: context.routes.map((route) => describeRoute(context, route)),
    children: context.children.map(describe),
  }
}

/** The framework's own symbols are no business of whoever uses it. */
function isOfApplication(name: string | symbol): boolean {
  return typeof name === 'string' || name.description?.startsWith('alcove.') !== true
}

function describeRoute(context: Context, { method, url, isAutomatic, options }: DeclaredRoute): RouteDescription {
  return {
    method: [method].flat().join(', '),
    url,
    isAutomatic,
    handler: options['config']?.route ?? (options['handler']?.name || 'anonymous'),
    hooks: lifecycleHookNames.flatMap((hook) => [
      ...context.hooks[hook].map(({ run, from }) => ({ hook, name: run.name || 'anonymous', from: from.path })),
      ...[options[hook] ?? []].flat().map((run: { name: string }) => ({ hook, name: run.name || 'anonymous', from: 'route' })),
    ]),
    parts: partOrder.filter((part) => options['schema']?.[part] ?? (part === 'querystring' && options['schema']?.query)),
    responses: Object.keys(options['schema']?.response ?? {}),
  }
}
