/** The public exports of alcove: decorators for classes, and the programmatic server beneath them. */
import './declare/metadata.js'

export * from '../lib/index.js'
export { bootstrap, check } from './run/bootstrap.js'
export type { BootstrapOptions } from './run/bootstrap-options.js'
export {
  type JobCounts,
  JobDriver,
  type JobTaker,
  type NewJob,
  type QueueSettings,
  type RetryOptions,
  type SqlClient,
  type TakenJob,
} from './jobs/driver.js'
export { type EmitOptions, type Emitter, domainEvent, type EventOptions, type EventToken } from './jobs/event.js'
export {
  type EventJobOptions,
  Job,
  type JobDecorator,
  type JobOptions,
  type JobRun,
  type QueueJobOptions,
  type ScheduledJobOptions,
} from './jobs/job.js'
export { type AddOptions, type InputOf, queue, type Queue, type QueueOptions, type QueueToken } from './jobs/queue.js'
export { type Fault, ResolutionError, WiringError } from './wiring/faults.js'
export { access, type AccessTest } from './tools/access.js'
export { explain, type Explanation } from './tools/explain.js'
export type { RouteExplanation } from './tools/explanation.js'
export {
  type AccessRule,
  type AccessRules,
  type DemandedHook,
  rule,
  type RouteChoice,
  type RouteJudge,
  type RouteRules,
} from './declare/access/rule.js'
export type {
  InjectedContentTypeParser,
  InjectedErrorHandler,
  InjectedNotFoundHandler,
  InjectedSchemaErrorFormatter,
} from './declare/handler-class.js'
export { type AroundHook, Config, Hook, type Next, type RouteHook, Without, type WithoutDecorator } from './declare/hook.js'
export type { Class, ClassAndMethodDecorator } from './declare/metadata.js'
export { type DecoratedProvider, metadataDecorator, type MetadataDecorator } from './declare/metadata-decorator.js'
export { type ImportEntry, type InjectedOptions, optionsFrom, type PluginImport, shared, use } from './declare/imports.js'
export { Plugin, type PluginDecorator, type PluginHook, type PluginOptions, type PluginSetup } from './declare/plugin.js'
export { factory, type FactoryProvider, Injectable, type Provider, type ProviderScope } from './declare/injectable.js'
export {
  Action,
  type ActionDecorator,
  Controller,
  type ControllerOptions,
  Delete,
  Get,
  Head,
  Options,
  Patch,
  Post,
  Put,
  Route,
  type RouteClassDecorator,
  type RouteClassOptions,
  type RouteNote,
} from './declare/route.js'
export { type RouteResult, Schema } from './declare/schema.js'
export { stream } from './declare/stream.js'
export {
  arrayOf,
  type ArrayOptions,
  type Composable,
  extend,
  type Extended,
  type Extension,
  omit,
  partial,
  pick,
  type Picked,
} from './declare/model/compose.js'
export { Model, type ModelClass, type ModelOptions } from './declare/model/model.js'
export { type ModelReference, ref } from './declare/model/ref.js'
export type { FieldsOf, LaterReference, ObjectSchema } from './declare/model/types.js'
export { ReplyError } from './client/runtime.js'
export { probe, ProbeError } from './tools/probe.js'
export type { ProbeFinding, ProbeOptions, ProbeReport, ProbeSettings } from './tools/probe/types.js'
export { testServer, type TestServer, type TestServerOptions } from './tools/testing.js'
export {
  type Ambient,
  ambient,
  type AmbientToken,
  type BootstrappedServer,
  type DecoratorWithSchema,
  type InjectEntry,
  type JobInput,
  type JobResult,
  LOGGER,
  optional,
  type Optional,
  type OptionalToken,
  PLUGIN_OPTIONS,
  pluginOptions,
  type PluginOptionsToken,
  REQUEST,
  type HookSetDecorator,
  requestDecorator,
  type RequestDecorator,
  type RouteRequest,
  type RunOptions,
  SERVER,
  token,
  type Token,
  type TokenValue,
  type TypedToken,
  type WorkScope,
} from './declare/tokens.js'
