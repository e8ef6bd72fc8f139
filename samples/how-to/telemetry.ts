/** The example of docs/how-to/trace-and-measure.md for alcove/telemetry. */
// #region options
import type { ServerOptions } from 'alcove'
import { openTelemetry, traceIds } from 'alcove/telemetry'

/** For `bootstrap(App, options)`, after `tracing.js` has registered its providers. */
export const options = {
  telemetry: openTelemetry(),
  logger: { mixin: traceIds },
} satisfies ServerOptions
// #endregion options
