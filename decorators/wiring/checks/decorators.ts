/** Finds faults of decorators: a decorator that has no effect at its place, and two decorators of which only one has an effect. */
import { configKey } from '../../declare/hook.js'
import { injectableKey } from '../../declare/injectable.js'
import {
  type Class,
  type ClassRole,
  isDecorated,
  lineage,
  type MemberRole,
  type MetadataEntry,
  otherCopyOfDecorators,
  ownEntries,
} from '../../declare/metadata.js'
import { getPluginOptions } from '../../declare/plugin.js'
import { getActions, getControllerPrefix, getRouteOptions } from '../../declare/route.js'
import { findUnknownInInjectable } from './options.js'
import { type Fault, fault } from '../faults.js'
import { visitListed } from '../constructed-classes.js'
import type { PluginNode } from '../nodes.js'
import { describeValue, nameOf } from '../value-names.js'
import type { ProviderRecord } from '../provider-record.js'

/** A decorated class of the application, with all roles (such as route or provider) that the class has. */
interface ListedClass {
  readonly Class: Class
  /** The path of the plugin that lists the class; for a plugin class, the path of the plugin itself. */
  readonly plugin: string
  readonly roles: ClassRole[]
}

export function findDecoratorFaults(plugins: readonly PluginNode[]): Fault[] {
  const found: Fault[] = [...findDecoratorsOfOtherCopies(plugins)]
  for (const listed of collectClasses(plugins)) {
    if (listed.Class.name === '') found.push(...faultsOfName(listed))
    for (const at of lineage(listed.Class)) for (const entry of ownEntries(at)) findFaults(entry, listed, at === listed.Class, found)
  }
  return found
}

/** Returns a fault for each listed class with decorators that only another copy of the package reads: a guard would let everybody in. */
function findDecoratorsOfOtherCopies(plugins: readonly PluginNode[]): Fault[] {
  const found = new Map<unknown, Fault>()
  const add = (Class: unknown, plugin: string, place: string): void => {
    if (typeof Class !== 'function' || found.has(Class)) return
    const copy = otherCopyOfDecorators(Class)
    if (copy !== undefined) found.set(Class, fault('DECORATOR_OF_OTHER_COPY', plugin, place, copy))
  }
  for (const plugin of plugins) {
    add(plugin.Class, plugin.path, plugin.path)
    visitListed(plugin, (entry) => add(entry, plugin.path, `${plugin.path} > ${nameOf(entry)}`))
  }
  return [...found.values()]
}

/** Returns the decorated classes in the lists of all plugins, each once, with all its roles. */
function collectClasses(plugins: readonly PluginNode[]): Iterable<ListedClass> {
  const classes = new Map<unknown, ListedClass>()
  const add = (Class: unknown, plugin: string, role: ClassRole): void => {
    if (typeof Class !== 'function' || !isDecorated(Class)) return
    const listed = classes.get(Class)
    if (listed === undefined) classes.set(Class, { Class: Class as Class, plugin, roles: [role] })
    else if (!listed.roles.includes(role)) listed.roles.push(role)
  }
  for (const plugin of plugins) {
    const { Class: PluginClass, path } = plugin
    add(PluginClass, path, 'plugin')
    visitListed(plugin, (entry, role) => {
      if (role !== 'route') return add(entry, path, role)
      if (typeof entry !== 'function') return
      if (getRouteOptions(entry) !== undefined) add(entry, path, 'route')
      if (getControllerPrefix(entry) !== undefined) add(entry, path, 'controller')
    })
  }
  return classes.values()
}

/**
 * Returns the fault of a class without a name. A plugin class may have its name in the options. If a compiler and a minifier together drop
 * the name of a class with standard decorators, the author of the class cannot restore it.
 */
function faultsOfName({ Class, plugin, roles }: ListedClass): Fault[] {
  if (ownEntries(Class).every(({ isStandard }) => isStandard)) return []
  const route = getRouteOptions(Class)
  const described = route === undefined ? `a ${roles[0]}` : `a route (${[route.method].flat().join(', ')} ${route.path ?? ''})`
  if (roles[0] !== 'plugin') return [fault('CLASS_WITHOUT_NAME', plugin, `${plugin} lists ${described}`)]
  if (getPluginOptions(Class)?.name !== undefined) return []
  const importing = plugin.split(' > ').slice(0, -1).join(' > ')
  return [fault('CLASS_WITHOUT_NAME', plugin, importing === '' ? 'The application is a plugin' : `${importing} imports a plugin`)]
}

function findFaults(entry: MetadataEntry, listed: ListedClass, isOwn: boolean, found: Fault[]): void {
  const { key, member, placement, values } = entry
  if (placement === 'class' && !isOwn && !key.isInherited) return
  const empty = values.find((value) => value == null)
  const names = key.names ?? key.decorator
  if (empty !== undefined || values.includes(undefined))
    return void found.push(fault('DECORATOR_UNDEFINED', decoratedPlace(listed, member), names, String(empty)))
  const reason = reasonUnread(entry, listed)
  if (reason !== undefined) found.push(fault('DECORATOR_UNREAD', decoratedPlace(listed, member), key.decorator, reason, key.place))
  else if (!key.isRepeatable && values.length > 1)
    found.push(fault('DECORATOR_REPEATED', decoratedPlace(listed, member), names, key.cureOfRepeat ?? 'Keep one of them.'))
  if (key === configKey) {
    for (const value of values.filter((value) => typeof value !== 'object' || Array.isArray(value)))
      found.push(
        fault(
          'OPTION_INVALID',
          decoratedPlace(listed, member),
          '@Config',
          describeValue(value),
          'its values',
          'an object',
          'Write @Config({ roles: … }).',
        ),
      )
  }
  if (key === injectableKey) found.push(...findUnknownInInjectable(() => decoratedPlace(listed), values[0] as object))
}

function decoratedPlace({ Class, plugin, roles }: ListedClass, member?: string | symbol): string {
  const path = roles[0] === 'plugin' ? plugin : `${plugin} > ${nameOf(Class)}`
  return member === undefined ? path : `${path}.${String(member)}`
}

/**
 * Adds a fault for each decorator of a class by which `providersWith` should find the class, if the class has more than one instance:
 * `providersWith` would find none of them. The dependencies of the provider record must be resolved.
 */
export function findUnfindable({ kind, source, scope, isRequestBound, plugin }: ProviderRecord, found: Fault[]): void {
  if (kind !== 'class' || (!isRequestBound && scope !== 'transient')) return
  const owner = isRequestBound ? 'request' : 'injection'
  const place = `${plugin.path} > ${nameOf(source)}`
  for (const { key, member } of lineage(source as Class).flatMap(ownEntries)) {
    if (key.isFindable !== true) continue
    found.push(fault('DECORATOR_UNFINDABLE', member === undefined ? place : `${place}.${String(member)}`, key.decorator, owner))
  }
}

/** Whether a class has a decorator by which `providersWith` finds its instances. */
export function isFindable({ source }: ProviderRecord): boolean {
  return lineage(source as Class).some((at) => ownEntries(at).some(({ key }) => key.isFindable === true))
}

/** Returns the reason why a decorator has no effect at its place; `undefined` if it has an effect. */
function reasonUnread({ key, member, placement, values, isCalled }: MetadataEntry, { Class, roles }: ListedClass): string | undefined {
  const { standsOn } = key
  if (placement === 'class') {
    // Other schemas refer to a shared schema by its class, which no plugin needs to list for that.
    const isSharedSchema = standsOn.includes('shared schema') && (values[0] as { $id?: unknown }).$id !== undefined
    return isSharedSchema || roles.some((role) => standsOn.includes(role)) ? undefined : `the class is a ${roles.join(' and a ')}`
  }
  if (placement !== 'member') return `it is a ${placement}`
  if (isAccessorMember(Class, member!)) return 'it is a getter or a setter, not a method'
  if (isCalled && !isMethod(Class, member!)) return 'the class has no method of this name'
  if (rolesOfMember(Class, member!, roles).some((role) => standsOn.includes(role))) return undefined
  if (standsOn.includes('method') && !isMethod(Class, member!)) return 'it is not a method'
  if (roles.includes('controller')) return 'the method is not a route'
  return roles.includes('route') ? 'only the method handle is a route' : `the class is a ${roles.join(' and a ')}`
}

function isAccessorMember(Class: Class, member: string | symbol): boolean {
  const own = (lineage(Class) as Class[]).map((at) => Object.getOwnPropertyDescriptor(at.prototype, member))
  const nearest = own.find((descriptor) => descriptor !== undefined)
  return nearest !== undefined && !('value' in nearest)
}

function rolesOfMember(Class: Class, member: string | symbol, roles: readonly ClassRole[]): MemberRole[] {
  const found: MemberRole[] = []
  if (roles.includes('controller') && getActions(Class).some((action) => action.member === member)) found.push('action')
  if (roles.includes('route') && member === 'handle') found.push('handler')
  if (roles.includes('plugin')) found.push('plugin method')
  if (roles.some((role) => role !== 'shared schema') && isMethod(Class, member)) found.push('method')
  return found
}

/** Whether a member of a class is a method, not a field or an accessor. The member is not read, because an accessor must not be called. */
function isMethod(Class: Class, member: string | symbol): boolean {
  const declaring = (lineage(Class) as Class[]).find((at) => Object.hasOwn(at.prototype as object, member))
  return typeof Object.getOwnPropertyDescriptor(declaring?.prototype ?? {}, member)?.value === 'function'
}
