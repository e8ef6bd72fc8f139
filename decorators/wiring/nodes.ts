/** The nodes of the module tree, as plain data: plugins, plugin functions, routes and jobs. */
import type { HttpMethod, Plugin as PluginFunction, RouteSchema } from '../../lib/index.js'
import type { PluginReplies } from '../../lib/internal.js'
import type { HandlerOption } from '../declare/handler-class.js'
import type { AroundHook, ClassHookName, HookDeclaration, RouteHook } from '../declare/hook.js'
import type { Class } from '../declare/metadata.js'
import type { PluginOptions } from '../declare/plugin.js'
import type { RouteClassOptions } from '../declare/route.js'
import type { EventJobOptions, ScheduledJobOptions } from '../jobs/job.js'
import type { QueueToken } from '../jobs/queue.js'

/** A plugin class in the module tree. */
export interface PluginNode {
  readonly Class: Class
  readonly name: string
  /** The names from the application to the plugin: `App > PublicPlugin` */
  readonly path: string
  readonly options: PluginOptions
  /** The options that `use(PluginClass, options)` passes to the plugin. */
  readonly importOptions: unknown
  readonly parent: PluginNode | undefined
  readonly isShared: boolean
  /**
   * The plugin in whose context this plugin declares: the plugin itself, or for a shared plugin the nearest ancestor that is not shared.
   */
  readonly contextOwner: PluginNode
  /** The full prefix of the plugin's routes, without a slash at its end: `/api/users`. */
  readonly prefix: string
  readonly imports: (PluginNode | FunctionNode)[]
  /** The imported plugins for which no new instance is made, because the context of this plugin or of an ancestor shares an instance. */
  readonly uses: PluginNode[]
  readonly routes: RouteNode[]
  readonly jobs: JobNode[]
  /** The hooks in the option `hooks`, each with its name. */
  readonly hooks: readonly UsedHook[]
  /** The handlers, formatters and parsers in the options of the plugin and its routes. */
  readonly handlers: NamedHandler[]
  readonly hookMethods: readonly { member: string | symbol; name: ClassHookName }[]
  /** The shared schemas that the plugin lists, and the schemas of the models that it refers to with `ref`. */
  readonly schemas: object[]
  /** The values of the request decorators that the plugin adds, by name. */
  readonly requestDecorators: ReadonlyMap<string | symbol, unknown>
}

/** An imported plugin function, written for alcove or for Fastify. */
export interface FunctionNode {
  readonly plugin: PluginFunction
  readonly options: unknown
  /** The names of the request decorators that the plugin function adds, according to its import. */
  readonly decorates: readonly string[]
  /** The names of the request decorators that hooks of the plugin function set, according to its import. */
  readonly sets: readonly string[]
  /** The names of the route options that the plugin function reads, according to its import. */
  readonly routeOptions: readonly string[]
  /** The replies that the plugin function declares, and the documentation texts of its routes, according to its import. */
  readonly replies: PluginReplies
  /** Whether the plugin function declares in the importing context, because fastify-plugin marks it or the import says so. */
  readonly isShared: boolean
  /** Whether the import itself makes the plugin function shared: `shared(use(…))`. */
  readonly isSharedByImport: boolean
}

/** One route: a class with `handle`, or a method of a controller. */
export interface RouteNode {
  readonly Class: Class
  readonly member: string | symbol
  /** The names from the application to the route: `App > PublicPlugin > GetTwo` */
  readonly path: string
  readonly plugin: PluginNode
  readonly methods: readonly HttpMethod[]
  /** The URL of the route below the prefix of the plugin. */
  readonly url: string
  /** The URL of the route, including the prefix of the plugin. */
  readonly fullUrl: string
  readonly options: RouteClassOptions
  readonly schema: RouteSchema | undefined
  readonly config: Record<string, unknown>
  readonly hooks: readonly UsedHook[]
  /** The hooks as decorators declare them, including declarations without a function. */
  readonly listedHooks: readonly HookDeclaration[]
}

/** A job class that a plugin lists in `jobs`. */
export interface JobNode {
  readonly Class: Class
  /** The names from the application to the job: `App > Mails > SendMail` */
  readonly path: string
  readonly plugin: PluginNode
  /**
   * The queue from which the job is fed. alcove makes this queue for a scheduled job, and for an event job with `when: 'queue'`.
   * `undefined`: the job handles an event without a queue.
   */
  readonly queue: QueueToken<any> | undefined
  /** The options of a scheduled job; `undefined` for any other job. */
  readonly schedule: ScheduledJobOptions | undefined
  /** The options of a job that handles an event; `undefined` for any other job. */
  readonly event: EventJobOptions | undefined
  /** How many runs of the job this process does at a time. */
  readonly concurrency: number
}

/** A handler, formatter or parser in an option of a plugin, controller or route. */
export interface NamedHandler {
  readonly option: HandlerOption
  /** The function or class; any other value if the option is invalid. */
  readonly handler: unknown
  /** The path of the plugin, controller or route that has the option. */
  readonly place: string
}

/**
 * The substitutes of a test, by the replaced value: the key of a token, a class or imported plugin, or the `decoratorKey` of a request
 * decorator.
 */
export type Overrides = ReadonlyMap<object | symbol | string, { readonly name: string; readonly substitute: unknown }>

/** A declared hook with its function or class, from a decorator or an option. */
export type UsedHook = HookDeclaration & { readonly hook: RouteHook | AroundHook }

/**
 * Returns the prefix of a context. The prefix of the root context is empty, because the prefix of the application is added to each of its
 * routes.
 */
export function contextPrefix(owner: PluginNode): string {
  return owner.parent === undefined ? '' : owner.prefix
}

export function isPluginNode(node: PluginNode | FunctionNode): node is PluginNode {
  return 'Class' in node
}

export function pluginPath({ path }: PluginNode): string {
  return path
}

/** The trigger of a job. */
export type JobKind = 'queue' | 'cron' | 'every' | 'event'

/** Returns the trigger of a job, with a text: `queue mails`, `cron 0 3 * * *`, `every 10000 ms`, `event user.registered later`. */
export function timeOfJob({ queue, schedule, event }: JobNode): { readonly kind: JobKind; readonly text: string } {
  if (event !== undefined) return { kind: 'event', text: `${event.on.name} ${event.when}` }
  if (schedule?.cron !== undefined)
    return { kind: 'cron', text: schedule.timezone === undefined ? schedule.cron : `${schedule.cron} ${schedule.timezone}` }
  return schedule === undefined ? { kind: 'queue', text: queue!.name } : { kind: 'every', text: `${schedule.every} ms` }
}

/** Returns the path of a context. A shared plugin has no context, so its name is not in the path. */
export function contextPathOf(plugin: PluginNode): string {
  return plugin.parent === undefined ? plugin.name : `${contextPathOf(plugin.parent.contextOwner)} > ${plugin.name}`
}

/** Returns all plugins of the module tree, each before the plugins that it imports. */
export function allPlugins(node: PluginNode, found: PluginNode[] = []): PluginNode[] {
  found.push(node)
  for (const entry of node.imports) if (isPluginNode(entry)) allPlugins(entry, found)
  return found
}

/** Returns a plugin and its ancestors, nearest first. */
export function ancestors(node: PluginNode): PluginNode[] {
  return node.parent === undefined ? [node] : [node, ...ancestors(node.parent)]
}
