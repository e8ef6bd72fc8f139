/** Interfaces that applications augment to type what their decorators and plugins add. */

/**
 * Members that decorators add to every request, reply or server. Augment them to type what a plugin decorates:
 * ```ts
 * declare module 'alcove' { interface RequestDecorations { user: User } }
 * ```
 * In decorated classes prefer {@link RouteRequest} with typed request decorators: it says *which* routes see them.
 */
export interface RequestDecorations {}

/** Members that decorators add to every reply; see {@link RequestDecorations}. */
export interface ReplyDecorations {}

/** Members that `decorate` adds to every server instance; see {@link RequestDecorations}. */
export interface ServerDecorations {}

/**
 * Options that plugins of yours read from routes (in an `onRoute` hook): `websocket`, `compress`, `helmet` and the like.
 * Augment it to type them, for `server.route` and for route classes:
 * ```ts
 * declare module 'alcove' { interface PluginRouteOptions { websocket?: boolean } }
 * ```
 */
export interface PluginRouteOptions {}
