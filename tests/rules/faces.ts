/**
 * An app as plain data, and the faces that can build it. The same rules apply to each.
 */
import {
  createServer,
  declareReplies,
  type Deprecation,
  type ContentTypeParser,
  type ContentTypeParserOptions,
  type ErrorHandler,
  type HookName,
  type Plugin,
  type RouteHandler,
  type RouteShorthandOptions,
  type SchemaController,
  type SchemaErrorFormatter,
  type SerializerCompiler,
  type Server,
  type ServerOptions,
  type ValidatorCompiler,
} from 'alcove/lib'
import { decorated } from './decorated-face.js'

type Decorators = Record<string | symbol, unknown>
type HookFunction = (...args: any[]) => unknown

export interface RouteSpec extends Omit<RouteShorthandOptions<any>, 'handler'> {
  method: string | string[]
  path: string
  /** `this` is the server. */
  handler: RouteHandler<any>
}

/** One context: the names are those of the options of `@Plugin`. */
export interface ContextSpec {
  name: string
  prefix?: string
  /** Not of the root: a programmatic server declares it with a plugin function. */
  deprecated?: boolean | Deprecation
  /** Whether everything is declared in the parent (the plugin wrapper) */
  shared?: boolean
  decorate?: Decorators
  decorateRequest?: Decorators
  decorateReply?: Decorators
  schemas?: object[]
  hooks?: { [N in HookName]?: HookFunction | HookFunction[] }
  contentTypeParsers?: { type: string | RegExp; options?: ContentTypeParserOptions; parse: ContentTypeParser }[]
  errorHandler?: ErrorHandler
  notFoundHandler?: RouteHandler<any>
  validatorCompiler?: ValidatorCompiler
  serializerCompiler?: SerializerCompiler
  schemaErrorFormatter?: SchemaErrorFormatter
  schemaController?: SchemaController
  /** Plugin functions and their options, registered before the imports. */
  plugins?: [plugin: Plugin, options?: object][]
  imports?: ContextSpec[]
  routes?: RouteSpec[]
  /** Uses the programmatic interface, after the declarations above but before plugins, imports and routes. */
  setup?: (instance: Server) => unknown
}

/** A way to build a server from a description. */
export interface Face {
  readonly name: string
  /** Returns the server before it is ready. Errors of the boot come with `ready()`. */
  build(spec: ContextSpec, options?: ServerOptions): Promise<Server>
}

const kSkipOverride = Symbol.for('skip-override')

const programmatic: Face = {
  name: 'programmatic',
  async build(spec, options) {
    const server = createServer(options)
    try {
      await apply(spec, server)
    } catch (error) {
      await server.close().catch(() => {})
      throw error
    }
    return server
  },
}

/** Makes the declarations of a description in an instance. */
export async function apply(spec: ContextSpec, instance: Server): Promise<void> {
  for (const name of Reflect.ownKeys(spec.decorate ?? {})) instance.decorate(name, spec.decorate![name])
  for (const name of Reflect.ownKeys(spec.decorateRequest ?? {})) instance.decorateRequest(name, spec.decorateRequest![name])
  for (const name of Reflect.ownKeys(spec.decorateReply ?? {})) instance.decorateReply(name, spec.decorateReply![name])
  for (const schema of spec.schemas ?? []) instance.addSchema(schema)
  for (const [name, hooks] of Object.entries(spec.hooks ?? {}))
    for (const hook of [hooks].flat()) instance.addHook(name as HookName, hook as never)
  for (const { type, options, parse } of spec.contentTypeParsers ?? []) instance.addContentTypeParser(type, options ?? {}, parse)
  if (spec.errorHandler) instance.setErrorHandler(spec.errorHandler)
  if (spec.notFoundHandler) instance.setNotFoundHandler(spec.notFoundHandler)
  if (spec.validatorCompiler) instance.setValidatorCompiler(spec.validatorCompiler)
  if (spec.serializerCompiler) instance.setSerializerCompiler(spec.serializerCompiler)
  if (spec.schemaErrorFormatter) instance.setSchemaErrorFormatter(spec.schemaErrorFormatter)
  if (spec.schemaController) instance.setSchemaController(spec.schemaController)
  await spec.setup?.(instance)
  for (const [plugin, options] of spec.plugins ?? []) instance.register(plugin, options)
  for (const child of spec.imports ?? []) {
    const plugin = Object.assign((inner: Server) => apply(child, inner), { [Symbol.for('fastify.display-name')]: child.name })
    if (child.shared) Object.assign(plugin, { [kSkipOverride]: true })
    if (child.deprecated !== undefined) declareReplies(plugin, { deprecated: child.deprecated })
    instance.register(plugin, { ...(child.prefix !== undefined && { prefix: child.prefix }) })
  }
  for (const route of spec.routes ?? []) instance.route(route as never)
}

export const faces: readonly Face[] = [programmatic, decorated]
