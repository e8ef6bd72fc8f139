/** The public interface of the programmatic server: everything that `alcove/lib` exports. */
export { BuildRecording, type BuildReport } from './build/build-recording.js'
export type { Prebuilt } from './build/prebuilt.js'
export { type PluginReplies, declareReplies } from './context/declared-replies.js'
export { hookNames } from './context/hooks.js'
export { errorCodes } from './errors/codes.js'
export type { AlcoveError } from './errors/error-constructor.js'
export { type ErrorExtensions, HttpError, type HttpErrorClass, type HttpErrorOptions } from './errors/http-error.js'
export { type Coding, compression, type CompressionHook, type CompressionOptions } from './lifecycle/content/compression.js'
export { type ByteRange, rangeResponses, type RangeResponses, type RangeSource, sendRanges } from './lifecycle/content/send-ranges.js'
export { LogController, type LogControllerOptions } from './lifecycle/log-request.js'
export { httpError, type HttpErrorBase, type HttpErrorDefaults } from './schema/error-class.js'
export { event, type EventFields, stream, type StreamOptions } from './schema/streams/stream.js'
export { buildValidatorCompiler } from './schema/ajv/engine.js'
export { environment, type EnvironmentClass } from './schema/environment/environment.js'
export type { EnvironmentVariables } from './schema/environment/reader.js'
export { closeOnSignals, type CloseOnSignalsOptions } from './server/close-on-signals.js'
export { createServer } from './server/create-server.js'
export { describeContexts } from './server/describe/contexts.js'
export type {
  JsvOptions,
  ReplySerializer,
  SchemaBucket,
  SchemaController,
  SchemaErrorDetail,
  SchemaErrorFormatter,
  SerializeFunction,
  SerializerCompiler,
  SharedSchema,
  ValidateFunction,
  ValidationError,
  ValidatorCompiler,
} from './types/compilers.js'
// Exported with `export *`, so that an application's `declare module 'alcove'` augments these interfaces.
export * from './types/decorations.js'
export type {
  ApplicationDescription,
  ContextDescription,
  ContextDocs,
  Deprecation,
  DeprecationDescription,
  DeclaredReplies,
  HandlerDescription,
  HeadersSchema,
  HookDescription,
  InputDescription,
  JsonSchema,
  MediaTypeDocs,
  ResponseDescription,
  RouteDescription,
  RouteDocs,
  SchemaDocs,
  SecurityRequirement,
  SecurityScheme,
  SecuritySchemeDescription,
  SecuritySchemes,
} from './types/description.js'
export type { HookName, Hooks, LifecycleHookName } from './types/hooks.js'
export type { FetchOptions, InjectChain, InjectOptions, InjectResponse } from './types/inject.js'
export type {
  ChildLoggerFactory,
  LogFunction,
  Logger,
  ObservedBoot,
  ObservedFigures,
  ObservedQueue,
  ObservedStep,
  Observer,
  StepInProgress,
} from './types/logger.js'
export type { ServerOptions, TrustProxy } from './types/options.js'
export type { Plugin, RegisterOptions } from './types/plugin.js'
export type { Reply, SchemaReply, TrailerFunction } from './types/reply.js'
export type {
  ContentTypeParser,
  ContentTypeParserOptions,
  HttpPart,
  Request,
  RequestOutcome,
  RouteConfig,
  RouteInfo,
  SchemaRequest,
  ValidationContext,
} from './types/request.js'
export type {
  ConstraintStrategy,
  ErrorHandler,
  HttpMethod,
  PrintRoutesOptions,
  RouteHandler,
  RouteOptions,
  RouteShorthandOptions,
  RouteSchema,
} from './types/route.js'
export type {
  FromJson,
  FromSchema,
  ResponseBody,
  routeSchema,
  SchemaTypes,
  schemaType,
  StandardSchema,
  StreamEvent,
  StreamSchema,
  TypedSchema,
} from './types/schema.js'
export type { ListenOptions, Server } from './types/server.js'
