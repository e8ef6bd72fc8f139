/** Functions and types of `lib/` that `decorators/` needs besides the public exports. The package does not export them. */
export type { DescriptionProblem } from './context/description-problems.js'
export {
  declaredKeys,
  declaredRepliesOf,
  addDeclaredReplies,
  findReplyProblems,
  findDocsProblems,
  type PluginReplies,
  setDeclaredReplies,
} from './context/declared-replies.js'
export {
  coverBelow,
  guardHookNames,
  type HookFunction,
  hookFacts,
  isAsyncWithDone,
  kRefusedFalse,
  kRunsFirst,
  lifecycleHookNames,
  runsBeforeHandler,
} from './context/hooks.js'
export { type BlueprintServer, createBlueprint } from './server/create-server.js'
export {
  type ApplicationFacts,
  describeApplication,
  describeOne,
  findContradictions,
  readApplicationFacts,
} from './server/describe/application.js'
export { securityOfGuards } from './server/describe/security.js'
export { addBlueprintHook, addBlueprintContext, addBlueprintFunction } from './server/blueprint.js'
export type { Context } from './context/context.js'
export { setRequestEntry } from './context/request-entry.js'
export type { ReplyWatcher } from './route/compiled-route.js'
export { explanationLine } from './errors/explanation.js'
export { MAX_TIMEOUT_MS } from './http/deadline.js'
export { errorFormats, statusText } from './http/error-payload.js'
export { isJsonType, isMediaTypeOrRange } from './http/media-type.js'
export { isResponse } from './http/payload.js'
export { beginWork, endWork, isAbandoned } from './lifecycle/ending/pending-work.js'
export { observerOf, observerOfServer } from './lifecycle/observe.js'
export { completeWithoutClient, outcomeOf, setBeforeHead } from './lifecycle/ending/outcome.js'
export { isRequestOver, whenRequestIsOver } from './lifecycle/ending/request-end.js'
export { exchangeOf, routePlace } from './lifecycle/exchange.js'
export { isBodyLeftUnread } from './lifecycle/read-body.js'
export { isAborted, isClientGone, isOverWhole } from './http/connection.js'
export {
  environmentError,
  environmentNames,
  findEnvironmentProblems,
  isEnvironmentClass,
  textOfProblem,
} from './schema/environment/environment.js'
export type { DocumentValidator, FindProblem } from './schema/ajv/document-validator.js'
export { createDocumentValidator } from './schema/ajv/engine.js'
export { formatNames } from './schema/ajv/formats.js'
export type { DeprecationHeaders } from './context/deprecation.js'
export { compileDeprecation, findDeprecationProblems, pastSunset, textOfDeprecation } from './context/deprecation.js'
export { problemOfErrorClass } from './schema/error-class.js'
export type { RuntimePort } from './server/fetch/runtime-port.js'
export type { BackgroundWork } from './server/background-work.js'
export { infoOf, makeResponse, type ReplyParts } from './http/web/socket.js'
export {
  beginBackgroundWork,
  whenRequestsAreOver,
  fetchFrom,
  listenByRuntime,
  noteCloseStep,
  noteIncomplete,
  waitForListenHooks,
  watchReplies,
} from './server/server-state.js'
export { asJson, compileInputCheck, type InputCheck } from './route/check-input.js'
export { addableMethods, bodySchemaMethods, httpMethods } from './route/methods.js'
export type { DeclaredRoute, RoutePlace } from './context/declared-route.js'
export { missingParameters, type PathParameter, repeatedParameter, splitPath, withoutParameterNames } from './route/path-parameters.js'
export { isMetaSchema, ReferenceTargets, type Resource } from './schema/json-schema/reference-targets.js'
export { findReferences } from './schema/json-schema/references.js'
export {
  holdingOf,
  type Holds,
  keywords,
  mapEntries,
  mapSchemas,
  MAX_SCHEMA_DEPTH,
  possibleSchemas,
} from './schema/json-schema/vocabulary.js'
export { findMediaTypeProblems, findSchemaKeyProblems, partNames, type RouteSchemaKey } from './schema/route-schema-keys.js'
export { readStandardSchema } from './schema/standard/read.js'
export { isOfStandard, isStandardSchema, libraryOf, tryToConvert } from './schema/standard/standard-schema.js'
export { containsStream, findMisplacedStreams } from './schema/streams/stream.js'
export { rootOf } from './server/describe/contexts.js'
export { responseKeyOf } from './server/describe/responses.js'
export type { ForeignReply, Narrowed } from './types/narrowed.js'
export type { ReplyMembers } from './types/reply.js'
export type {
  Converted,
  DefaultKeys,
  EntryType,
  FromObject,
  inputType,
  NamedType,
  ReadonlyArrays,
  SchemasOf,
  SendableEntry,
  sendableSchema,
  SentPart,
  Side,
} from './types/schema.js'
export { escapeHtml } from './util/escape-html.js'
export { canonicalText, isClass, isContainer, isObject, isPlainObject } from './util/objects.js'
export { nameOfStep, toPointer } from './util/json-pointer.js'
export { assertKnownOptions, nearestName, suggestName } from './util/nearest-name.js'
export { textOfConstraints } from './context/declared-route.js'
export { createHash, inspect, randomUUID, readFileSync, STATUS_CODES } from './util/node/modules.js'
export { findOwn } from './util/node/own-files.js'
export { ownUrl } from './util/own-url.js'
export { isAsyncFunction, isPromiseLike, settleWithin } from './util/promises.js'
export { isShared as isSharedFunction } from './server/plugins/plugin-metadata.js'
export { kAnswersUndefined, kDisplayName, kEndsReturnedReply, kPlace, kPluginMeta, kRunsWithin, kSkipOverride } from './util/symbols.js'
