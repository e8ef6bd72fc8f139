/** Plugins, and the options that they are registered with. */
import type { Done } from './hooks.js'
import type { Server } from './server.js'

/**
 * A plugin function. The function receives a child instance for its own context. The plugin is loaded when the function calls `done` or
 * when its promise is fulfilled. One signature serves functions with `done` and async functions, so that TypeScript infers the parameters
 * of a function that is written in the call of `register`.
 */
export type Plugin<Options = any> = (instance: Server, options: Options, done: Done) => unknown

/**
 * Options that `register` itself reads. The plugin receives them too. They have no effect on a plugin that shares its parent's context
 * (fastify-plugin).
 */
export interface RegisterOptions {
  /** Prefix of the plugin's routes, appended to its parent's prefix: `/users`. */
  prefix?: string
  /** Level of `request.log` in the plugin's routes. Default: the parent's level. */
  logLevel?: string
  /** Serializers of `request.log` by key, merged over the parent's serializers. */
  logSerializers?: Record<string, (value: any) => unknown>
}

/**
 * A plugin that is not typed as a {@link Plugin}, which {@link Server.register} takes too: a plugin function that was typed for another
 * server such as Fastify, a module with a plugin, or a promise of a module or a plugin. Exported only for the files beside this one, as are
 * the types below.
 */
export type ForeignPlugin = ((instance: any, options: any, done: any) => unknown) | PromiseLike<unknown> | { readonly default: unknown }

/**
 * The type of the options that the plugin `P` takes: a plugin function, or the plugin in a module or a promise. If the type is unknown, for
 * example because the types of the plugin need a library that is not installed, any options are allowed.
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
    ? [options?: OptionsOrFunction<PluginOptionsOf<P> & RegisterOptions>]
    : [options: OptionsOrFunction<PluginOptionsOf<P> & RegisterOptions>]

/** The options of a plugin, or a function that gets the parent instance and returns them. */
export type OptionsOrFunction<Options> = Options | ((parent: Server) => Options)

/**
 * A promise that need not be awaited, because its rejection is reported elsewhere. The rule `no-floating-promises` of typescript-eslint
 * recognizes such a promise by the property `__linterBrands`, which does not exist at run time.
 */
export interface SafePromiseLike<T> extends PromiseLike<T> {
  readonly __linterBrands: 'SafePromiseLike'
}
