/** Plugins and the options that they are registered with. */
import type { Done } from './hooks.js'
import type { Server } from './server.js'

/**
 * A plugin: receives its own child instance (spec: Context / plugin), and is loaded when it calls `done` or when the promise
 * that it returns is fulfilled. One signature for both, so that parameters of functions written in place are typed.
 */
export type Plugin<Options = any> = (instance: Server, options: Options, done: Done) => unknown

/** For a plugin of which nothing is known, such as one whose types need those of a library that is not installed. */
export type AnyOptions<Options> = unknown extends Options ? Record<string, unknown> : never

/**
 * Options of a plugin that `register` itself reads; the plugin gets them too. They do not apply to a plugin without a context of
 * its own (fastify-plugin).
 */
export interface RegisterOptions {
  /** Prefix of the plugin's routes, below that of its parent: `/users`. */
  prefix?: string
  /** Level of `request.log` in the plugin's routes; default: the parent's. */
  logLevel?: string
  /** Serializers of `request.log` by key, merged over the parent's. */
  logSerializers?: Record<string, (value: any) => unknown>
}
