/** `@Plugin`: what a context declares and imports. `use` and `shared` say how something is imported. */
import type {
  ContentTypeParser,
  ContentTypeParserOptions,
  ErrorHandler,
  HookName,
  Hooks,
  Plugin as PluginFunction,
  RouteHandler,
  SchemaErrorFormatter,
  SerializerCompiler,
  Server,
  ValidatorCompiler,
} from '../lib/index.js'
import { type Class, note, readNote, readPlace } from './metadata.js'
import type { Provider } from './providers.js'
import type { RequestDecorator } from './tokens.js'

const kPlugin = Symbol('alcove.plugin')

export interface PluginOptions {
  /** Name in context paths and errors. Default: the class's. */
  name?: string
  /** Prefix of the routes in this context and below. */
  prefix?: string
  /** Child contexts, and plugins of the ecosystem by {@link use}. What they declare stays in them unless it is shared. */
  imports?: readonly PluginImport[]
  /** Declare everything in the importing context instead of in one of our own (spec: Encapsulation rules 5). */
  shared?: boolean
  /** Request decorators that must be visible here, from an ancestor or a shared import. */
  requires?: readonly RequestDecorator[]
  providers?: readonly Provider[]
  /** Route classes and controllers. */
  routes?: readonly Class[]
  /** Members of the server instance, by name. */
  decorate?: Readonly<Record<string, unknown>>
  /** Members of requests: typed handles, or values by name. */
  decorateRequest?: readonly RequestDecorator[] | Readonly<Record<string, unknown>>
  decorateReply?: Readonly<Record<string, unknown>>
  /** Shared schemas: objects with an `$id`, or classes with a `@Schema` that has one. */
  schemas?: readonly (object | Class)[]
  hooks?: { readonly [N in HookName]?: Hooks[N] | readonly Hooks[N][] }
  contentTypeParsers?: readonly ({ type: string | RegExp | (string | RegExp)[]; parse: ContentTypeParser } & ContentTypeParserOptions)[]
  errorHandler?: ErrorHandler
  notFoundHandler?: RouteHandler<any>
  validatorCompiler?: ValidatorCompiler
  serializerCompiler?: SerializerCompiler
  schemaErrorFormatter?: SchemaErrorFormatter
}

/** A plugin class may set itself up through the programmatic interface. */
export interface PluginSetup<Options = unknown> {
  setup(instance: Server, options: Options): unknown
}

/** One entry of `imports`: a plugin class, or what {@link use} and {@link shared} give. */
export type PluginImport = Class | ImportEntry

export interface ImportEntry {
  readonly kind: 'import'
  readonly plugin: Class | PluginFunction | Promise<unknown> | { readonly default: unknown }
  readonly options: unknown
  /** Request decorators that a plugin function is known to add. */
  readonly decorates: readonly RequestDecorator[]
  readonly isShared: boolean
}

/** Makes a class a plugin: an encapsulation context with its own scope of providers. */
export function Plugin(options: PluginOptions = {}) {
  return (...args: [target: Class, context?: unknown]): void => note(readPlace(args), kPlugin, options)
}

export function pluginOptionsOf(Class: object): PluginOptions | undefined {
  return readNote(Class, kPlugin)
}

/**
 * Imports a plugin with options: a function of ours or of the ecosystem, or a plugin class.
 * ```ts
 * imports: [use(bearerAuth, { keys: new Set(['abc123']) }), use(UsersPlugin, { table: 'users' })]
 * ```
 * @param known.decorates request decorators that a plugin function adds; believed while the wiring is checked, verified at boot
 */
export function use<Options>(
  plugin: PluginFunction<Options> | Class | Promise<unknown> | { readonly default: unknown },
  options?: NoInfer<Options> | (Options extends object ? NoInfer<Options> & { prefix?: string } : never),
  known: { decorates?: readonly RequestDecorator[] } = {},
): ImportEntry {
  return { kind: 'import', plugin: plugin as ImportEntry['plugin'], options, decorates: known.decorates ?? [], isShared: false }
}

/** Imports a plugin class so that what it declares lands in the importing context: decorators, hooks, schemas and providers. */
export function shared(plugin: PluginImport): ImportEntry {
  return isImportEntry(plugin)
    ? { ...plugin, isShared: true }
    : { kind: 'import', plugin, options: undefined, decorates: [], isShared: true }
}

export function isImportEntry(value: unknown): value is ImportEntry {
  return value !== null && typeof value === 'object' && (value as ImportEntry).kind === 'import'
}
