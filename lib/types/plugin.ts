/** Plugins, and the options that they are registered with. */
import type { Done } from './hooks.js'
import type { Server } from './server.js'

/**
 * A plugin. It receives its own child instance, and is loaded when it calls `done` or when its promise is fulfilled. There is one
 * signature for both, so that TypeScript infers the parameters of a function that is written in the call of `register`.
 */
export type Plugin<Options = any> = (instance: Server, options: Options, done: Done) => unknown

/**
 * Options that `register` itself reads. The plugin receives them too. They do not apply to a plugin without its own context
 * (fastify-plugin).
 */
export interface RegisterOptions {
  /** Prefix of the plugin's routes, appended to its parent's prefix: `/users`. */
  prefix?: string
  /** Level of `request.log` in the plugin's routes. Default: the parent's level. */
  logLevel?: string
  /** Serializers of `request.log` by key, merged over the parent's. */
  logSerializers?: Record<string, (value: any) => unknown>
}

/**
 * What {@link Server.register} takes besides a {@link Plugin}: a plugin function that was typed for another server such as Fastify, and
 * a module with a plugin, or a promise of one. Exported only for the files beside this one, as are the types below.
 */
export type ForeignPlugin = ((instance: any, options: any, done: any) => unknown) | PromiseLike<unknown> | { readonly default: unknown }

/**
 * The options that a plugin function takes, or the plugin of a module or of a promise. A plugin whose option type is unknown, for
 * example because its types need a library that is not installed, takes any.
 */
export type PluginOptionsOf<P> = [P] extends [never]
  ? Record<string, any>
  : P extends (instance: any, options: infer O, ...rest: any[]) => unknown
    ? unknown extends O
      ? Record<string, any>
      : O
    : P extends PromiseLike<infer Loaded>
      ? PluginOptionsOf<Loaded>
      : P extends { readonly default: infer Plugin }
        ? PluginOptionsOf<Plugin>
        : Record<string, any>

/** The arguments of {@link Server.register} after the plugin: its options, which may be left out if none is required. */
export type ForeignOptions<P> =
  {} extends PluginOptionsOf<P>
    ? [options?: GivenOptions<PluginOptionsOf<P> & RegisterOptions>]
    : [options: GivenOptions<PluginOptionsOf<P> & RegisterOptions>]

/** Options, or a function of the parent instance that returns them. */
export type GivenOptions<Options> = Options | ((parent: Server) => Options)

/**
 * A promise that need not be awaited, because its rejection is reported elsewhere. The rule `no-floating-promises` of typescript-eslint
 * knows it by this property, which does not exist at run time.
 */
export interface SafePromiseLike<T> extends PromiseLike<T> {
  readonly __linterBrands: 'SafePromiseLike'
}
