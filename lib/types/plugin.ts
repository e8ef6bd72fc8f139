/** Plugins, and the options that they are registered with. */
import type { Done } from './hooks.js'
import type { Server } from './server.js'

/**
 * A plugin. It receives its own child instance, and is loaded when it calls `done` or when its promise is fulfilled. There is one
 * signature for both, so that TypeScript infers the parameters of a function that is written in the call of `register`.
 */
export type Plugin<Options = any> = (instance: Server, options: Options, done: Done) => unknown

/**
 * The options of a plugin whose option type is unknown, for example because its types need a library that is not installed. Exported
 * only for the files beside this one.
 */
export type AnyOptions<Options> = unknown extends Options ? Record<string, unknown> : never

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
