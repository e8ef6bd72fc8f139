/** The errors of conditional requests. */
import { httpError } from '../../lib/index.js'

/** 400 Bad Request: the header is not a list of entity tags. */
export class EntityTagInvalid extends httpError(
  400,
  {},
  { message: 'If-Match is not a list of entity tags: "1", "2"', code: 'ENTITY_TAG_INVALID' },
) {}

/**
 * 412 Precondition Failed: the resource has another version than the one that the client has seen. A handler throws this error if its
 * statement has changed no row.
 */
export class VersionChanged extends httpError(
  412,
  {},
  { message: 'It was changed by somebody else. Read it again', code: 'VERSION_CHANGED' },
) {}

/** 428 Precondition Required (RFC 6585 §3): the request does not say which version the client has seen. */
export class VersionRequired extends httpError(
  428,
  {},
  { message: 'Send the ETag that you have seen as If-Match', code: 'VERSION_REQUIRED' },
) {}
