/**
 * Declares plugins in the contexts of a blueprint, a server that is only described (`createBlueprint`): at once, without running the
 * plugins. Contexts see each other by the same rule as in every server, so the description of the decorated classes equals the description
 * of the server that is made from them.
 */
import { addDeclaredReplies, type PluginReplies } from '../context/declared-replies.js'
import type { HookFunction } from '../context/hooks.js'
import type { LifecycleHookName } from '../types/hooks.js'
import type { Server } from '../types/server.js'
import { kContext } from '../util/symbols.js'
import type { Instance } from './instance.js'
import { isShared, pluginName } from './plugins/plugin-metadata.js'

/** Makes a context of a blueprint below the context of an instance, and returns its instance. */
export function addBlueprintContext(parent: Server, name: string, prefix: string): Server {
  const instance = Object.create(parent) as Instance
  instance[kContext] = (parent as Instance)[kContext].child(instance, name, { prefix })
  return instance
}

/**
 * Adds the replies that a plugin function declares to a blueprint. A function that is not shared (fastify-plugin) is left out, because it
 * adds no routes to the context that imports it.
 */
export function addBlueprintFunction(instance: Server, plugin: unknown, isSharedByImport: boolean, replies: PluginReplies): void {
  const isFunction = typeof plugin === 'function'
  if (!isSharedByImport && !(isFunction && isShared(plugin))) return
  const name = isFunction ? pluginName(plugin as never) : 'a plugin of a module'
  addDeclaredReplies(instance, `${(instance as Instance)[kContext].path} > ${name}`, replies)
}

/** Adds a hook of requests to the context of a blueprint's instance. */
export function addBlueprintHook(instance: Server, name: LifecycleHookName, hookFunction: HookFunction): void {
  ;(instance as Instance)[kContext].addHook(name, hookFunction)
}
