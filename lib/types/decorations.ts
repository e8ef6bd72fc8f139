/** Interfaces that applications augment to type the members and options that their decorators and plugins add. */

/**
 * Members that decorators add to every request. Augment this interface to type them:
 * ```ts
 * declare module 'alcove' { interface RequestDecorations { user: User } }
 * ```
 * In decorated classes prefer {@link RouteRequest} with typed request decorators: these type a member only for the routes that have it.
 */
export interface RequestDecorations {}

/** Members that decorators add to every reply; see {@link RequestDecorations}. */
export interface ReplyDecorations {}

/** Members that `decorate` adds to every server instance; see {@link RequestDecorations}. */
export interface ServerDecorations {}

/**
 * The methods that `addHttpMethod` adds, in capitals. Augment this interface, so that the types of routes allow these methods, and
 * instances have members such as `server.rebind`:
 * ```ts
 * declare module 'alcove' { interface AddedMethods { REBIND: true } }
 * ```
 */
export interface AddedMethods {}

/**
 * Options that plugins read from routes in an `onRoute` hook, such as `websocket`, `compress` or `helmet`. Augment this interface
 * to type them for `server.route` and for route classes:
 * ```ts
 * declare module 'alcove' { interface PluginRouteOptions { websocket?: boolean } }
 * ```
 */
export interface PluginRouteOptions {}
