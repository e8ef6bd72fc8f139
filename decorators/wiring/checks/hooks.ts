/** Faults of the hooks of plugins and routes: unknown names, classes without the method, async functions that take `done`. */
import { type HookName, hookNames } from '../../../lib/index.js'
import { isAsyncWithDone, lifecycleHookNames } from '../../../lib/internal.js'
import { type ClassHookName, classHookNames, getHooks, getMisplacedHooks } from '../../declare/hook.js'
import { type Fault, fault } from '../faults.js'
import { describeValue, isClass, nameOf } from '../names.js'
import type { PluginNode, RouteNode } from '../nodes.js'

export function findHookFaults(plugins: readonly PluginNode[]): Fault[] {
  const found: Fault[] = []
  for (const plugin of plugins) {
    checkPlugin(plugin, found)
    for (const route of plugin.routes) checkRoute(route, found)
  }
  return found
}

function checkPlugin({ Class, hookMethods, hooks, options, path }: PluginNode, found: Fault[]): void {
  for (const { name, member } of hookMethods) {
    checkName(name, path, found)
    checkFunction(Class.prototype[member], name, `${path}.${String(member)}`, found)
  }
  for (const { name } of getMisplacedHooks(Class)) found.push(fault('HOOK_NOT_A_METHOD', name, path))
  for (const name of Object.keys(options.hooks ?? {})) checkName(name as ClassHookName, path, found)
  for (const { name, hook } of hooks) checkHook(hook, name, path, found)
}

function checkRoute({ Class, member, path }: RouteNode, found: Fault[]): void {
  for (const { name, hook } of [...getHooks(Class), ...getHooks(Class, member)]) {
    if (hook === undefined) {
      if (typeof name === 'string') found.push(fault('HOOK_WITHOUT_FUNCTION', name, path))
      else found.push(fault('UNKNOWN_HOOK', describeValue(name), path, classHookNames))
      continue
    }
    checkName(name, path, found)
    if (isHookName(name) && !(lifecycleHookNames as readonly string[]).includes(name)) found.push(fault('HOOK_OF_APPLICATION', name, path))
    checkHook(hook, name, path, found)
  }
}

/** Checks one hook: a function, or a class with a method of the hook's name. */
function checkHook(hook: unknown, name: ClassHookName, place: string, found: Fault[]): void {
  if (!isClass(hook)) return checkFunction(hook, name, place, found, nameOf(hook))
  const method: unknown = hook.prototype[name]
  if (typeof method !== 'function') found.push(fault('HOOK_CLASS_WITHOUT_METHOD', nameOf(hook), name, place))
  else checkFunction(method, name, place, found, `${nameOf(hook)}.${name}`)
}

/**
 * Adds a fault for an async function that takes `done`.
 * @param own name of the hook in the fault, unless `place` names it already: `RolesGuard.preHandler`
 */
function checkFunction(hook: unknown, name: ClassHookName, place: string, found: Fault[], own?: string): void {
  if (isHookName(name) && typeof hook === 'function' && isAsyncWithDone(name, hook as () => unknown))
    found.push(fault('HOOK_ASYNC_WITH_DONE', name, place, own))
}

function checkName(name: ClassHookName, place: string, found: Fault[]): void {
  if (!classHookNames.includes(name)) found.push(fault('UNKNOWN_HOOK', name, place, classHookNames))
}

function isHookName(name: ClassHookName): name is HookName {
  return (hookNames as readonly string[]).includes(name)
}
