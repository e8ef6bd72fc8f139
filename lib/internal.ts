/** Facts of `lib/` that `decorators/` needs besides the public exports. The package does not export them. */
export { hookFacts, kRefusedFalse, lifecycleHookNames } from './context/hooks.js'
export { whenRequestIsOver } from './lifecycle/ending/request-end.js'
export { bodySchemaMethods } from './route/methods.js'
export { missingParameters, withoutParameterNames } from './route/path-parameters.js'
export { findSchemaKeyProblems, type RouteSchemaKey } from './schema/route-schema-keys.js'
export { nearestName } from './util/nearest-name.js'
export { settleWithin } from './util/promises.js'
export { kDisplayName, kEndsReturnedReply, kSkipOverride } from './util/symbols.js'
