/** Describes the contexts of a server as plain data, with their routes and hooks: for `explain` and other tools. */
import type { Context } from '../../context/context.js'
import type { ContextDescription } from '../../types/description.js'
import type { Server } from '../../types/server.js'
import { kContext } from '../../util/symbols.js'
import type { Instance } from '../instance.js'
import { nameOf } from './names.js'
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

/** Whether the application added the decorator of this name. The framework's own symbols are internal, so they are not shown. */
function isOfApplication(name: string | symbol): boolean {
  return typeof name === 'string' || name.description?.startsWith('alcove.') !== true
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

/** Returns the instance of the root context above a plugin's instance. */
export function rootOf(server: Server): Server {
  return rootContext((server as Instance)[kContext]).instance
}
