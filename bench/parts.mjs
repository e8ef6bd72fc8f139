/** The parts of alcove whose cost per request is measured, each beside the plain route. servers/parts.ts has the applications. */
export const parts = {
  plain: 'the plain route: `hello` with classes',
  again: 'the same once more: the noise',
  telemetry: '`alcove/telemetry` imported, without the option `telemetry`',
  elsewhere: 'a handle (`ambient`), a queue and an idempotent route in another plugin',
  queue: 'a queue and its job in the same plugin',
  handle: 'a handle in the same plugin, not read',
  read: 'a handle in the same plugin, read',
  scope: 'a request-scoped provider',
  ending: 'a request-scoped provider with `onRequestEnd`',
  unit: "a unit of work: `onRequestEnd` with `endsBefore = 'reply'`, asynchronous",
  around: 'an `around` hook',
  keys: '`IdempotencyPlugin` in the same plugin, for another route',
  observed: '`telemetry: openTelemetry()` without an SDK',
}
