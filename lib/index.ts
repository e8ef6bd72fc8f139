/** The programmatic server's public face. */
export * from './contract.js'
export { type AlcoveError, errorCodes, HttpError } from './errors.js'
export type { FromJson, FromSchema, ResponseBody, RouteSchema, SchemaTypes, schemaType, TypedSchema } from './schema-types.js'
export { hookNames } from './hooks.js'
export { type ContextDescription, describeContexts, type HookDescription, type RouteDescription } from './inspect.js'
export { createServer } from './server.js'
export { buildValidatorCompiler } from './validation.js'
export { closeOnSignals, type CloseOnSignalsOptions } from './shutdown.js'
