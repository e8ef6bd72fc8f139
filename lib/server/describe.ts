/** Describes the contexts of a server as plain data, with their routes and hooks: for `explain` and other tools. */
import { inspect } from 'node:util'
import type { Context, ErrorHandlerLink } from '../context/context.js'
import type { DeclaredRoute } from '../context/declared-route.js'
import { lifecycleHookNames } from '../context/hooks.js'
import { formatSchemaErrors, partOrder } from '../schema/validate-request.js'
import type { SchemaErrorFormatter } from '../types/compilers.js'
import type { LifecycleHookName } from '../types/hooks.js'
import type { HttpPart } from '../types/request.js'
import type { ErrorHandler } from '../types/route.js'
import type { Server } from '../types/server.js'
import { kContext } from '../util/symbols.js'
import type { Instance } from './instance.js'

/** A context and the contexts below it, as {@link describeContexts} returns them. */
export interface ContextDescription {
  /** The name of the class or plugin. */
  readonly name: string
  /** The names from the root to this context: `App > PublicPlugin`. */
  readonly path: string
  /** The prefix of its routes, including its ancestors' prefixes. Empty if there is none. */
  readonly prefix: string
  /** Names of the request decorators that this context itself adds. */
  readonly requestDecorators: readonly string[]
  /** Names of the reply decorators that this context itself adds. */
  readonly replyDecorators: readonly string[]
  /** The `$id` of each shared schema that is visible here. */
  readonly schemas: readonly string[]
  /** The body parsers that this context itself adds. */
  readonly contentTypeParsers: readonly { readonly type: string; readonly name: string }[]
  /** The name of the handler that this context sets for unknown paths. Absent if it sets none. */
  readonly notFoundHandler?: string
  /** The routes that are declared here, including the HEAD routes that GET routes get. */
  readonly routes: readonly RouteDescription[]
  readonly children: readonly ContextDescription[]
}

/** A route, as {@link describeContexts} returns it. */
export interface RouteDescription {
  /** One method, `GET`, or several, `PUT, PATCH`. */
  readonly method: string
  /** The path as declared, with the prefix: `/users/:id`. */
  readonly url: string
  /** What else a request must have to find the route, as text: `{ version: '2.0.0' }`. Absent without constraints. */
  readonly constraints?: string
  /** Whether it is a HEAD route that a GET route got. */
  readonly isAutomatic: boolean
  /** The name of the handler function. In decorated applications it is the path of the class. */
  readonly handler: string
  /** The hooks of the route, in the order in which they run. */
  readonly hooks: readonly HookDescription[]
  /** The error handlers that an error of the route reaches one after the other, without the default one. */
  readonly errorHandlers: readonly HandlerDescription[]
  /** What creates the errors of failed validations. Absent if it is the default one. */
  readonly schemaErrorFormatter?: HandlerDescription
  /** The request parts that are validated. */
  readonly parts: readonly HttpPart[]
  /**
   * The engine that validates each part: `ajv`, a schema library (`Zod`), both (`ajv + Zod`: ajv coerces texts, Zod validates), or
   * `validatorCompiler` for one of the application. Empty before `ready`.
   */
  readonly engines: { readonly [P in HttpPart]?: string }
  /** The response keys with a serializer: `200`, `2xx`, `default`. */
  readonly responses: readonly string[]
}

/** A hook that runs for a route. */
export interface HookDescription {
  readonly hook: LifecycleHookName
  /** The name of the function. */
  readonly name: string
  /** The path of the context that added it; `route` if it is an option of the route. */
  readonly from: string
}

/** An error handler or formatter of a route. */
export interface HandlerDescription {
  /** The name of the function, or of the class and its method: `ApiErrors.errorHandler`. */
  readonly name: string
  /** The path of the context that set it; `route` if it is an option of the route. */
  readonly from: string
}

/**
 * Describes the context of an instance and the contexts below it, with all that has been declared so far. It is complete after `ready`.
 * ```ts
 * for (const { method, url, hooks } of describeContexts(server).routes) console.log(method, url, hooks.map(({ name }) => name))
 * ```
 */
export function describeContexts(server: Server): ContextDescription {
  return describe((server as Instance)[kContext])
}

function describe(context: Context): ContextDescription {
  return {
    name: context.names[0]!,
    path: context.path,
    prefix: context.prefix,
    requestDecorators: context.requests.ownNames.filter(isOfApplication).map(String),
    replyDecorators: context.replies.ownNames.filter(isOfApplication).map(String),
    schemas: Object.keys(context.schemas.getSchemas()),
    contentTypeParsers: ownParsers(context),
    ...notFoundHandlerOf(context),
    routes: context.routes.map((route) => describeRoute(context, route)),
    children: context.children.map(describe),
  }
}

/** Whether the application added a decorator. The framework's own symbols are internal, so they are not shown. */
function isOfApplication(name: string | symbol): boolean {
  return typeof name === 'string' || name.description?.startsWith('alcove.') !== true
}

function describeRoute(context: Context, { method, url, isImplicitHead, options, compiled }: DeclaredRoute): RouteDescription {
  // Decorated applications keep the path of the class there.
  const { route }: { route?: unknown } = options.config ?? {}
  const constraints = options.constraints ?? {}
  return {
    method: [method].flat().join(', '),
    url,
    ...(Object.keys(constraints).length > 0 && { constraints: inspect(constraints, { breakLength: Infinity }) }),
    isAutomatic: isImplicitHead,
    handler: typeof route === 'string' ? route : nameOf(options.handler),
    hooks: lifecycleHookNames.flatMap((hook) => [
      ...context.hooks[hook].map(({ run, from }) => ({ hook, name: nameOf(run), from: from.path })),
      ...[options[hook] ?? []].flat().map((run: { name: string }) => ({ hook, name: nameOf(run), from: 'route' })),
    ]),
    errorHandlers: errorHandlersOf(context, options.errorHandler),
    ...schemaErrorFormatterOf(context, options.schemaErrorFormatter),
    parts: partOrder.filter((part) => options.schema?.[part] ?? (part === 'querystring' && options.schema?.query)),
    engines: Object.fromEntries((compiled?.validators ?? []).map(({ part, engine }) => [part, engine])),
    responses: Object.keys(options.schema?.response ?? {}),
  }
}

/** The name of a function, also of one that was bound. */
function nameOf({ name }: { readonly name: string }): string {
  return name.replace(/^(?:bound )+/, '') || 'anonymous'
}

function ownParsers({ parsers, parent }: Context): ContextDescription['contentTypeParsers'] {
  const inherited = new Set(parent?.parsers.list().map(({ parser }) => parser))
  return parsers
    .list()
    .filter(({ parser }) => !inherited.has(parser))
    .map(({ type, parser }) => ({ type, name: nameOf(parser.parse) }))
}

function notFoundHandlerOf(context: Context): Pick<ContextDescription, 'notFoundHandler'> {
  const { own } = context.notFound
  return own?.context === context && own.handler !== undefined ? { notFoundHandler: nameOf(own.handler) } : {}
}

function errorHandlersOf(context: Context, own: ErrorHandler | undefined): HandlerDescription[] {
  const found = own === undefined ? [] : [{ name: nameOf(own), from: 'route' }]
  for (let at: ErrorHandlerLink | undefined = context.errorHandler; at?.from !== undefined; at = at.next)
    found.push({ name: nameOf(at.handle), from: at.from.path })
  return found
}

function schemaErrorFormatterOf(context: Context, own: SchemaErrorFormatter | undefined): Pick<RouteDescription, 'schemaErrorFormatter'> {
  if (own !== undefined) return { schemaErrorFormatter: { name: nameOf(own), from: 'route' } }
  const { schemaErrorFormatter: formatter } = context
  if (formatter === formatSchemaErrors) return {}
  return { schemaErrorFormatter: { name: nameOf(formatter), from: context.ownerOf('schemaErrorFormatter').path } }
}
