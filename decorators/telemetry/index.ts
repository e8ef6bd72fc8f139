/** The exports of alcove/telemetry: spans and metrics of a server, by OpenTelemetry. */
export { openTelemetry, type OpenTelemetryOptions, traceIds } from './open-telemetry.js'
