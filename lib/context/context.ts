/**
 * An encapsulation context: everything that the root declares, or that one plugin declares together with the plugins that share its
 * context; and the link to its parent.
 *
 * A context sees what it and its ancestors declare, never what a sibling or a descendant declares. A setting that a context does not have
 * is looked up in its parent each time, so that a later setting of an ancestor reaches it. Collections (hooks, schemas, parsers) start as a
 * copy of the parent's, and later additions are handed down.
 */
import type { IncomingMessage } from 'node:http'
import type { BuildSource } from '../build/prebuilt.js'
import { type ErrorFormat, errorFormats } from '../http/error-payload.js'
import type { ValidationEngine } from '../schema/ajv/engine.js'
import type { SerializationEngine } from '../schema/fast-json.js'
import { EnginePool } from '../schema/lazy/engine-pool.js'
import { SchemaStore } from '../schema/schema-store.js'
import { formatSchemaErrors } from '../schema/validate-request.js'
import type {
  ReplySerializer,
  SchemaBucket,
  SchemaController,
  SchemaErrorFormatter,
  SerializerCompiler,
  ValidatorCompiler,
} from '../types/compilers.js'
import type { DeclaredReplies } from '../types/description.js'
import type { ChildLoggerFactory, Logger } from '../types/logger.js'
import type { ServerOptions } from '../types/options.js'
import type { ErrorHandler, RouteHandler } from '../types/route.js'
import type { Server } from '../types/server.js'
import type { BodyParsers } from './body-parsers.js'
import type { ContextMethods } from './context-methods.js'
import type { ContextReplies } from './declared-replies.js'
import type { Conventions } from './conventions.js'
import type { DeclaredOptions, DeclaredRoute } from './declared-route.js'
import type { AnyReply, AnyRequest, Constructor, Decorations } from './decorators.js'
import type { ListedErrorClass } from './error-classes.js'
import { createHookStore, hookFacts, type HookFunction, type HookStore, insertHook, type StoredHookName } from './hooks.js'

/** A link in the chain of error handlers. An error that a handler throws goes to the next one. */
export interface ErrorHandlerLink {
  readonly handle: ErrorHandler
  readonly next: ErrorHandlerLink | undefined
  /** The context that set the handler; absent for the handler of a route and for the default handler. */
  readonly from?: Context
  readonly replies?: DeclaredReplies | undefined
}

/** The options of a not-found handler: the hooks that run before the handler. */
export type NotFoundOptions = Omit<Partial<DeclaredOptions>, 'handler'>

/** A path prefix that has its own not-found handler, or may get one. */
export interface NotFoundLevel {
  readonly prefix: string
  readonly parent: NotFoundLevel | undefined
  /** The not-found handler of the prefix with its hooks, and the context in which `setNotFoundHandler` was called. */
  own: { readonly context: Context; readonly handler: RouteHandler<any> | undefined; readonly options: NotFoundOptions } | undefined
}

/** The objects of the server from which the root context is made. */
export interface RootDependencies {
  readonly options: Readonly<ServerOptions> & { readonly conventions: Conventions }
  readonly logger: Logger
  readonly requests: Decorations<AnyRequest>
  readonly replies: Decorations<AnyReply>
  readonly parsers: BodyParsers
  readonly methods: ContextMethods
  readonly errorHandler: ErrorHandler
  readonly genReqId: (raw: IncomingMessage) => string
  readonly childLoggerFactory: ChildLoggerFactory
  readonly build: BuildSource | undefined
}

/** The settings of a context. A setting that the context itself lacks is taken from its parent. */
interface ContextSettings {
  errorHandler: ErrorHandlerLink
  errorFormat: ErrorFormat
  schemaErrorFormatter: SchemaErrorFormatter
  replySerializer: ReplySerializer | undefined
  childLoggerFactory: ChildLoggerFactory
  genReqId: (raw: IncomingMessage) => string
  validatorCompiler: ValidatorCompiler | null | undefined
  serializerCompiler: SerializerCompiler | null | undefined
  schemaController: SchemaController
  logLevel: string
  logSerializers: Record<string, (value: any) => unknown> | undefined
}

export class Context {
  readonly parent: Context | undefined
  readonly children: Context[] = []
  /** The routes that are declared in this context. */
  readonly routes: DeclaredRoute[] = []
  /** The replies that the plugins of this context declare for its routes. */
  readonly declaredReplies: ContextReplies[] = []
  /** The error classes that this context itself lists. */
  readonly ownErrorClasses: ListedErrorClass[] = []
  /** The instance that plugins of this context see. */
  readonly instance: Server
  readonly options: RootDependencies['options']
  readonly logger: Logger
  readonly hooks: HookStore
  readonly requests: Decorations<AnyRequest>
  readonly replies: Decorations<AnyReply>
  readonly parsers: BodyParsers
  readonly methods: ContextMethods
  /** The classes of the requests and replies of this context; see {@link updateClasses}. */
  readonly classes: { Request: Constructor<AnyRequest>; Reply: Constructor<AnyReply> }
  readonly prefix: string
  notFound: NotFoundLevel
  /** The names of the plugins that share this context; the plugin that the context was made for comes first. */
  readonly names: string[]
  /** The names of the plugins of this context and its ancestors, for `hasPlugin` and for checking the dependencies of plugins. */
  readonly registeredPlugins: Set<string>
  schemas: SchemaBucket
  readonly #settings: Partial<ContextSettings>
  #hasOwnStart = false
  /** The compilers that the application's `compilersFactory` has made. Each is made when a route first needs it. */
  #compilers: { validator?: ValidatorCompiler; serializer?: SerializerCompiler } = {}
  /** The default engines, each made when a route first needs it. */
  #engines: { validation?: ValidationEngine; serialization?: SerializationEngine } = {}
  readonly #enginePool: EnginePool
  #hasOwnSchemas = false

  private constructor(
    fields: Pick<
      Context,
      | 'parent'
      | 'instance'
      | 'options'
      | 'logger'
      | 'hooks'
      | 'requests'
      | 'replies'
      | 'parsers'
      | 'methods'
      | 'prefix'
      | 'names'
      | 'registeredPlugins'
      | 'schemas'
    > & { notFound?: NotFoundLevel; build?: BuildSource | undefined },
    settings: Partial<ContextSettings>,
  ) {
    this.parent = fields.parent
    this.instance = fields.instance
    this.options = fields.options
    this.logger = fields.logger
    this.hooks = fields.hooks
    this.requests = fields.requests
    this.replies = fields.replies
    this.parsers = fields.parsers
    this.methods = fields.methods
    this.classes = { Request: fields.requests.Class, Reply: fields.replies.Class }
    this.prefix = fields.prefix
    this.names = fields.names
    this.registeredPlugins = fields.registeredPlugins
    this.schemas = fields.schemas
    this.notFound = fields.notFound ?? { prefix: fields.prefix || '/', parent: undefined, own: undefined }
    this.#settings = settings
    this.#enginePool = fields.parent === undefined ? new EnginePool(fields.options, fields.build) : fields.parent.#enginePool
  }

  static root(instance: Server, name: string, dependencies: RootDependencies): Context {
    const controller = dependencies.options.schemaController ?? {}
    return new Context(
      {
        parent: undefined,
        instance,
        options: dependencies.options,
        logger: dependencies.logger,
        hooks: createHookStore(),
        requests: dependencies.requests,
        replies: dependencies.replies,
        parsers: dependencies.parsers,
        methods: dependencies.methods,
        prefix: '',
        names: [name],
        registeredPlugins: new Set(),
        schemas: controller.bucket?.() ?? new SchemaStore(),
        build: dependencies.build,
      },
      {
        errorHandler: { handle: dependencies.errorHandler, next: undefined },
        errorFormat: errorFormats[dependencies.options.errorFormat ?? 'default'],
        schemaErrorFormatter: dependencies.options.schemaErrorFormatter?.bind(instance) ?? formatSchemaErrors,
        childLoggerFactory: dependencies.childLoggerFactory,
        genReqId: dependencies.genReqId,
        schemaController: controller,
        logLevel: '',
      },
    )
  }

  /** Makes the context of a plugin that is registered here. `instance` must inherit from this context's instance. */
  child(
    instance: Server,
    name: string,
    options: { prefix?: string; logLevel?: string; logSerializers?: ContextSettings['logSerializers'] },
  ): Context {
    const prefix = joinPrefix(this.prefix, options.prefix)
    const child = new Context(
      {
        parent: this,
        instance,
        options: this.options,
        logger: this.logger,
        hooks: createHookStore(this.hooks),
        requests: this.requests.child(),
        replies: this.replies.child(),
        parsers: this.parsers.child(),
        methods: this.methods.child(),
        prefix,
        names: [name],
        registeredPlugins: new Set(this.registeredPlugins),
        schemas: this.schemaController.bucket?.(this.schemas.getSchemas()) ?? new SchemaStore(this.schemas.getSchemas()),
        notFound: options.prefix ? { prefix, parent: this.notFound, own: undefined } : this.notFound,
      },
      {
        ...(options.logLevel && { logLevel: options.logLevel }),
        ...(options.logSerializers && { logSerializers: { ...this.logSerializers, ...options.logSerializers } }),
      },
    )
    this.children.push(child)
    return child
  }

  /** The names of the plugins that share this context, as the Fastify ecosystem knows them: the root is `fastify`. */
  get pluginNames(): readonly string[] {
    return this.parent === undefined ? ['fastify', ...this.names.slice(1)] : this.names
  }

  /**
   * Sets the classes of requests and replies of this context and below, from the decorators that are visible. Called when the routes are
   * compiled, and again after the onReady hooks, which may add decorators.
   */
  updateClasses(): void {
    this.classes.Request = this.requests.EffectiveClass
    this.classes.Reply = this.replies.EffectiveClass
    for (const child of this.children) child.updateClasses()
  }

  /** The class or plugin names from the root to this context: `App > PublicPlugin`. */
  get path(): string {
    return this.parent === undefined ? this.names[0]! : `${this.parent.path} > ${this.names[0]}`
  }

  #get<K extends keyof ContextSettings>(key: K): ContextSettings[K] | undefined {
    if (key in this.#settings || this.parent === undefined) return this.#settings[key]
    return this.parent.#get(key)
  }

  /** Finds the context whose setting applies here: the nearest context, from this one upwards, that has the setting itself. */
  ownerOf(key: keyof ContextSettings): Context {
    return key in this.#settings || this.parent === undefined ? this : this.parent.ownerOf(key)
  }

  get errorHandler(): ErrorHandlerLink {
    return this.#get('errorHandler')!
  }
  get errorFormat(): ErrorFormat {
    return this.#get('errorFormat')!
  }
  get schemaErrorFormatter(): SchemaErrorFormatter {
    return this.#get('schemaErrorFormatter')!
  }
  get replySerializer(): ReplySerializer | undefined {
    return this.#get('replySerializer')
  }
  get childLoggerFactory(): ChildLoggerFactory {
    return this.#get('childLoggerFactory')!
  }
  get genReqId(): (raw: IncomingMessage) => string {
    return this.#get('genReqId')!
  }
  get logLevel(): string {
    return this.#get('logLevel')!
  }
  get logSerializers(): ContextSettings['logSerializers'] {
    return this.#get('logSerializers')
  }
  get schemaController(): SchemaController {
    return this.#get('schemaController')!
  }

  /** Whether functions of the application, or a logger, run before the hooks of a request, and so may enter an `AsyncLocalStorage`. */
  get mayEnterStorageFirst(): boolean {
    const { logger, logController, genReqId, childLoggerFactory } = this.options
    if (Boolean(logger) || Boolean(logController ?? genReqId ?? childLoggerFactory)) return true
    return this.#hasOwnStart || this.parent?.mayEnterStorageFirst === true
  }

  set<K extends keyof ContextSettings>(key: K, value: ContextSettings[K]): void {
    this.#settings[key] = value
    if (key === 'genReqId' || key === 'childLoggerFactory') this.#hasOwnStart = true
    this.#compilers = {}
  }

  /** Sets the error handler of this context. An error that the handler throws goes to the handler that was in force before. */
  setErrorHandler(handle: ErrorHandler, replies?: DeclaredReplies): void {
    this.set('errorHandler', { handle, next: this.errorHandler, from: this, replies })
  }

  setSchemaController(controller: SchemaController): void {
    const merged = { ...this.schemaController, ...controller }
    merged.compilersFactory = { ...this.schemaController.compilersFactory, ...controller.compilersFactory }
    this.set('schemaController', merged)
    if (controller.bucket) this.schemas = controller.bucket(this.schemas.getSchemas())
    this.#hasOwnSchemas = true
  }

  /** Adds a hook to this context, and to its present descendants if hooks of this name are handed down. */
  addHook(name: StoredHookName, hookFunction: HookFunction, from: Context = this): void {
    insertHook(this.hooks[name], { hookFunction, from })
    if (hookFacts[name].below !== 'all') return
    for (const child of this.children) child.addHook(name, hookFunction, from)
  }

  /** Adds a shared schema to this context and all its descendants. @throws ALC_ERR_SCH_MISSING_ID, ALC_ERR_SCH_ALREADY_PRESENT */
  addSchema(schema: object): void {
    this.schemas.add(schema)
    this.#hasOwnSchemas = true
    this.#compilers = {}
    this.#engines = {}
    for (const child of this.children) child.addSchema(schema)
  }

  /** Whether the default engine compiles the validators of this context. Other engines get the schemas as the application wrote them. */
  get usesDefaultValidator(): boolean {
    return this.#get('validatorCompiler') == null && this.schemaController.compilersFactory?.buildValidator === undefined
  }
  get usesDefaultSerializer(): boolean {
    return this.#get('serializerCompiler') == null && this.schemaController.compilersFactory?.buildSerializer === undefined
  }

  /** The validator compiler that is in force in this context. */
  get validatorCompiler(): ValidatorCompiler {
    return this.#get('validatorCompiler') ?? this.#defaultValidatorCompiler
  }
  get serializerCompiler(): SerializerCompiler {
    return this.#get('serializerCompiler') ?? this.#defaultSerializerCompiler
  }

  /** The validator compiler without one that was set. A context that adds no schemas uses the engine of its parent. */
  get #defaultValidatorCompiler(): ValidatorCompiler {
    const build = this.schemaController.compilersFactory?.buildValidator
    if (build === undefined) return this.#compilerOf(this.validationEngine)
    if (this.#sharesEngines) return this.parent!.#defaultValidatorCompiler
    return (this.#compilers.validator ??= build(this.schemas.getSchemas(), this.options.jsv ?? {}))
  }
  get #defaultSerializerCompiler(): SerializerCompiler {
    const build = this.schemaController.compilersFactory?.buildSerializer
    if (build === undefined) return this.serializationEngine.compiler
    if (this.#sharesEngines) return this.parent!.#defaultSerializerCompiler
    return (this.#compilers.serializer ??= build(this.schemas.getSchemas(), this.options.serializerOpts))
  }
  #compilerOf(engine: ValidationEngine): ValidatorCompiler {
    return this.schemaController.coerceBodies === false ? engine.exactCompiler : engine.compiler
  }

  /** The routes, and the parts of their schemas, that are missing in the server's build (`alcove build`). */
  get missingInBuild(): readonly string[] {
    return this.#enginePool.missing
  }

  /** The default validation engine, with the shared schemas that are visible in this context. */
  get validationEngine(): ValidationEngine {
    if (this.#sharesEngines) return this.parent!.validationEngine
    return (this.#engines.validation ??= this.#enginePool.validation(this.schemas.getSchemas()))
  }
  get serializationEngine(): SerializationEngine {
    if (this.#sharesEngines) return this.parent!.serializationEngine
    return (this.#engines.serialization ??= this.#enginePool.serialization(this.schemas.getSchemas()))
  }

  /** The validator compiler that was set, or the default one if a route has needed it. */
  get builtValidatorCompiler(): ValidatorCompiler | undefined {
    return this.#get('validatorCompiler') ?? this.#builtDefaultValidator
  }
  get builtSerializerCompiler(): SerializerCompiler | undefined {
    return this.#get('serializerCompiler') ?? this.#builtDefaultSerializer
  }
  get #builtDefaultValidator(): ValidatorCompiler | undefined {
    if (this.#sharesEngines) return this.parent!.#builtDefaultValidator
    return this.#compilers.validator ?? (this.#engines.validation && this.#compilerOf(this.#engines.validation))
  }
  get #builtDefaultSerializer(): SerializerCompiler | undefined {
    if (this.#sharesEngines) return this.parent!.#builtDefaultSerializer
    return this.#compilers.serializer ?? this.#engines.serialization?.compiler
  }

  get #sharesEngines(): boolean {
    return this.parent !== undefined && !this.#hasOwnSchemas && !('schemaController' in this.#settings)
  }
}

/** Joins the prefixes of a context and of a plugin in it: `/a/` + `/b` → `/a/b`, `/a` + `b` → `/a/b`, `/a/` + `b` → `/a/b` */
function joinPrefix(parent: string, own: string | undefined): string {
  if (!own) return parent
  const path = own.startsWith('/') ? own : `/${own}`
  return parent.endsWith('/') ? parent + path.slice(1) : parent + path
}
