/**
 * Declares plugins in the contexts of a draft (`createDraft`): at once, without running them. The visibility rule is that of every server,
 * so a class tree is described as the server is that it becomes.
 */
import { declareContract, type PluginContract } from '../context/contract.js'
import type { HookFunction } from '../context/hooks.js'
import type { LifecycleHookName } from '../types/hooks.js'
import type { Server } from '../types/server.js'
import { kContext } from '../util/symbols.js'
import type { Instance } from './instance.js'
import { isShared, pluginName } from './plugins/plugin-metadata.js'

/** Makes the instance of a context below the context of the parent. */
export function draftContext(parent: Server, name: string, prefix: string): Server {
  const instance = Object.create(parent) as Instance
  instance[kContext] = (parent as Instance)[kContext].child(instance, name, { prefix })
  return instance
}

/** Declares what is known of a plugin function. One that is not shared has no routes here. */
export function draftFunction(instance: Server, plugin: unknown, isSharedByImport: boolean, contract: PluginContract): void {
  const isFunction = typeof plugin === 'function'
  if (!isSharedByImport && !(isFunction && isShared(plugin as never))) return
  const name = isFunction ? pluginName(plugin as never) : 'a plugin of a module'
  declareContract(instance, `${(instance as Instance)[kContext].path} > ${name}`, contract)
}

/** Adds a hook of requests. */
export function addDraftHook(instance: Server, name: LifecycleHookName, run: HookFunction): void {
  ;(instance as Instance)[kContext].addHook(name, run)
}
