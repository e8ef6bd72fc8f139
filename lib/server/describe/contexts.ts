/** Describes the contexts of a server as plain data, with their routes and hooks: for `explain` and other tools. */
import type { Context } from '../../context/context.js'
import type { ContextDescription } from '../../types/description.js'
import type { Server } from '../../types/server.js'
import { kContext } from '../../util/symbols.js'
import type { Instance } from '../instance.js'
import { functionName } from './function-name.js'
import { describedSchema } from './input.js'
import { describeRoute } from './route.js'
import { rootContext } from './route-facts.js'

/**
 * Describes the context of an instance and the contexts below it, with all that has been declared so far. The description is complete after
 * `ready`.
 * ```ts
 * for (const { methods, url, hooks } of describeContexts(server).routes) console.log(methods, url, hooks.map(({ name }) => name))
 * ```
 */
export function describeContexts(server: Server): ContextDescription {
  return describeContext((server as Instance)[kContext])
}

function describeContext(context: Context): ContextDescription {
  return {
    name: context.names[0]!,
    path: context.path,
    prefix: context.prefix,
    requestDecorators: context.requests.ownNames.filter(isOfApplication).map(String),
    replyDecorators: context.replies.ownNames.filter(isOfApplication).map(String),
    schemas: Object.keys(context.schemas.getSchemas()),
    ownSchemas: ownSchemas(context),
    contentTypeParsers: ownParsers(context),
    ...describeNotFoundHandler(context),
    routes: context.routes.map((route) => describeRoute(context, route)),
    children: context.children.map(describeContext),
  }
}

/** Whether the application added the decorator of this name. The framework's own symbols are internal, so they are not shown. */
function isOfApplication(name: string | symbol): boolean {
  return typeof name === 'string' || name.description?.startsWith('alcove.') !== true
}

function ownSchemas({ schemas, parent }: Context): ContextDescription['ownSchemas'] {
  const own = Object.entries(schemas.getSchemas()).filter(([id]) => parent?.schemas.getSchema(id) === undefined)
  return Object.fromEntries(own.map(([id, schema]) => [id, describedSchema(schema)]))
}

function ownParsers({ parsers, parent }: Context): ContextDescription['contentTypeParsers'] {
  const inherited = new Set(parent?.parsers.list().map(({ parser }) => parser))
  return parsers
    .list()
    .filter(({ parser }) => !inherited.has(parser))
    .map(({ type, parser }) => ({ type, name: functionName(parser.parse) }))
}

function describeNotFoundHandler(context: Context): Pick<ContextDescription, 'notFoundHandler'> {
  const { own } = context.notFound
  return own?.context === context && own.handler !== undefined ? { notFoundHandler: functionName(own.handler) } : {}
}

/** Returns the instance of the root context above a plugin's instance. */
export function rootOf(server: Server): Server {
  return rootContext((server as Instance)[kContext]).instance
}
