/** The nodes of the tree of plugins: plain data. */
import type { ContextDocs, Contract, HttpMethod, Plugin as PluginFunction, RouteSchema } from '../../lib/index.js'
import type { HandlerOption } from '../declare/handler-class.js'
import type { AroundHook, ClassHookName, HookDeclaration, RouteHook } from '../declare/hook.js'
import type { Class } from '../declare/metadata.js'
import type { PluginOptions } from '../declare/plugin.js'
import type { RouteClassOptions } from '../declare/route.js'

/** A plugin class in the tree. */
export interface PluginNode {
  readonly Class: Class
  readonly name: string
  /** `App > PublicPlugin` */
  readonly path: string
  readonly options: PluginOptions
  /** The options given by `use(PluginClass, options)`. */
  readonly importOptions: unknown
  readonly parent: PluginNode | undefined
  readonly isShared: boolean
  /** The plugin in whose context this one declares: itself, or for a shared plugin the nearest ancestor that is not shared. */
  readonly contextOwner: PluginNode
  /** Full prefix of its routes, without a slash at its end: `/api/users`. */
  readonly prefix: string
  readonly imports: (PluginNode | FunctionNode)[]
  /** The imported plugins that get no new instance: instances that its own context or that of an ancestor shares. */
  readonly uses: PluginNode[]
  readonly routes: RouteNode[]
  /** The hooks in its option `hooks`, each with its name. */
  readonly hooks: readonly UsedHook[]
  /** The handlers, formatters and parsers that its options and its routes name. */
  readonly handlers: NamedHandler[]
  readonly hookMethods: readonly { member: string | symbol; name: ClassHookName }[]
  readonly schemas: readonly object[]
  /** Request decorators by name. */
  readonly requestDecorators: ReadonlyMap<string | symbol, unknown>
}

/** An imported plugin function, written for alcove or for Fastify. */
export interface FunctionNode {
  readonly plugin: PluginFunction
  readonly options: unknown
  /** Names of the request decorators that it is said to add. */
  readonly decorates: readonly string[]
  /** Names of the options of routes that it is said to read. */
  readonly routeOptions: readonly string[]
  /** What it is said to answer, and the texts of its routes. */
  readonly contract: Contract & { readonly docs?: ContextDocs }
  /** Whether it declares in the importing context, as fastify-plugin marks it or the import says. */
  readonly isShared: boolean
  /** Whether the import says so: `shared(use(…))`. */
  readonly isSharedByImport: boolean
}

/** One route: a class with `handle`, or a method of a controller. */
export interface RouteNode {
  readonly Class: Class
  readonly member: string | symbol
  /** `App > PublicPlugin > GetTwo` */
  readonly path: string
  readonly plugin: PluginNode
  readonly methods: readonly HttpMethod[]
  /** Below the plugin's prefix. */
  readonly url: string
  /** With the plugin's prefix. */
  readonly fullUrl: string
  readonly options: RouteClassOptions
  readonly schema: RouteSchema | undefined
  readonly config: Record<string, unknown>
  readonly hooks: readonly UsedHook[]
}

/** A handler, formatter or parser that an option names. */
export interface NamedHandler {
  readonly option: HandlerOption
  /** A function or class, unless the option is wrong. */
  readonly given: unknown
  /** The path of the plugin, controller or route. */
  readonly place: string
}

/** A test's substitutes: by token key, by class or imported plugin, or by `decoratorKey` of a request decorator. */
export type Overrides = ReadonlyMap<object | symbol | string, { readonly name: string; readonly substitute: unknown }>

/** A hook that a decorator or an option names. */
export type UsedHook = HookDeclaration & { readonly hook: RouteHook | AroundHook }

/** The prefix of a context. The application is the root context, which has none: its own prefix is added to each of its routes. */
export function contextPrefix(owner: PluginNode): string {
  return owner.parent === undefined ? '' : owner.prefix
}

export function isPluginNode(node: PluginNode | FunctionNode): node is PluginNode {
  return 'Class' in node
}

export function pathOf({ path }: PluginNode): string {
  return path
}

/** All plugins of the tree, each before those it imports. */
export function allPlugins(node: PluginNode, found: PluginNode[] = []): PluginNode[] {
  found.push(node)
  for (const entry of node.imports) if (isPluginNode(entry)) allPlugins(entry, found)
  return found
}

/** The node and its ancestors, nearest first. */
export function ancestors(node: PluginNode): PluginNode[] {
  return node.parent === undefined ? [node] : [node, ...ancestors(node.parent)]
}
