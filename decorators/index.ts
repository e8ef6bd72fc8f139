/** alcove's public face: decorators for classes, and the programmatic server beneath them. */
import './metadata.js'

export * from '../lib/index.js'
export { type BootstrappedServer, bootstrap, check } from './bootstrap.js'
export { type Fault, ResolutionError, WiringError } from './errors.js'
export { explain, type Explanation } from './explain.js'
export type { RouteExplanation } from './explanation.js'
export { type ClassAndMethodDecorator, Config, Hook, type RouteHook } from './hook.js'
export type { Class } from './metadata.js'
export {
  type ImportEntry,
  type InjectedOptions,
  optionsFrom,
  Plugin,
  type PluginHook,
  type PluginImport,
  type PluginOptions,
  type PluginSetup,
  shared,
  use,
} from './plugin.js'
export { factory, type FactoryProvider, Injectable, type Provider, type ProviderScope } from './providers.js'
export { Action, Controller, Delete, Get, Head, Options, Patch, Post, Put, Route, type RouteClassOptions, type RouteNote } from './route.js'
export { ref, type RouteResult, Schema } from './schema.js'
export { type CallResult, testServer, type TestServer, type TestServerOptions } from './testing.js'
export {
  LOGGER,
  optional,
  type Optional,
  type OptionalToken,
  PLUGIN_OPTIONS,
  pluginOptions,
  REQUEST,
  requestDecorator,
  type RequestDecorator,
  type RouteRequest,
  SERVER,
  token,
  type Token,
  type TokenValue,
  type TypedToken,
} from './tokens.js'
