/** The errors of requests with idempotency keys. */
import { httpError } from '../../lib/index.js'

/** 400 Bad Request: the idempotency key is malformed, or is missing although the route requires a key. */
export class IdempotencyKeyInvalid extends httpError(
  400,
  {},
  { message: 'Idempotency-Key is missing or malformed', code: 'IDEMPOTENCY_KEY_INVALID' },
) {}

/** 409 Conflict: a request with the same idempotency key is still running. */
export class IdempotencyKeyInUse extends httpError(
  409,
  {},
  { message: 'A request with this Idempotency-Key is still running', code: 'IDEMPOTENCY_KEY_IN_USE', headers: { 'retry-after': '1' } },
) {}

/** 422 Unprocessable Content: the idempotency key was sent before, with a different request. */
export class IdempotencyKeyReused extends httpError(
  422,
  {},
  { message: 'This Idempotency-Key was sent with another request before', code: 'IDEMPOTENCY_KEY_REUSED' },
) {}
