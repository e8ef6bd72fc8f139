/**
 * Where alcove answers otherwise than Fastify 5, and why. The first class that matches counts; a difference of no class is a
 * finding.
 */
const json = (answer) => {
  try {
    return JSON.parse(answer.body)
  } catch {
    return undefined
  }
}
const code = (answer) => json(answer)?.code ?? ''
const message = (answer) => json(answer)?.message ?? ''
const hasAlternatives = (route) => /oneOf|anyOf|allOf|"not"|patternProperties|minProperties/.test(JSON.stringify(route.schema ?? ''))
const header = ({ headers }, name) => headers.filter(([given]) => given.toLowerCase() === name)

export const differences = [
  {
    id: 'validation-payload',
    reason: 'documented: the 400 of a failed validation has no code, and says "should" and "querystring" as Fastify does',
    matches: (_request, ours, theirs) =>
      ours.status === 400 && theirs.status === 400 && code(theirs) === 'FST_ERR_VALIDATION' && code(ours) === '',
  },
  {
    id: 'codes',
    reason: 'documented: codes begin with ALC_ERR',
    matches: (_request, ours, theirs) =>
      ours.status === theirs.status && code(ours).startsWith('ALC_ERR_') && code(ours).slice(8) === code(theirs).slice(8),
  },
  {
    id: 'bad-json',
    reason: 'the same refusal of a body that is no JSON, in other words',
    matches: (_request, ours, theirs) =>
      ours.status === 400 &&
      theirs.status === 400 &&
      (/JSON|Unexpected|forbidden|token/i.test(message(ours)) || code(theirs) === 'FST_ERR_CTP_INVALID_JSON_BODY'),
  },
  {
    id: 'json-suffix',
    reason: 'documented: the parser of application/json takes every +json type',
    matches: (request, ours, theirs) =>
      theirs.status === 415 && ours.status !== 415 && header(request, 'content-type').some(([, type]) => /\+json/i.test(type)),
  },
  {
    id: 'two-types',
    reason: 'stricter: two content types are none (415)',
    matches: (request, ours) => ours.status === 415 && header(request, 'content-type').length > 1,
  },
  {
    id: 'uncovered-type',
    reason: 'stricter: a body of a type that the route has no schema for is 415, and not handled unvalidated',
    matches: (_request, ours) => ours.status === 415 && code(ours) === 'ALC_ERR_CTP_INVALID_MEDIA_TYPE',
  },
  {
    id: 'coding',
    reason: 'stricter: a content coding that nobody takes off is 415',
    matches: (request, ours) => ours.status === 415 && header(request, 'content-encoding').length > 0,
  },
  {
    id: 'utf8',
    reason: 'stricter: a body that is no UTF-8 is 400, and not repaired',
    matches: (_request, ours) => code(ours) === 'ALC_ERR_CTP_INVALID_UTF8',
  },
  {
    id: 'deep',
    reason: 'stricter: JSON is nested at most 1,000 levels deep',
    matches: (_request, ours) => code(ours) === 'ALC_ERR_CTP_BODY_TOO_DEEP',
  },
  {
    id: 'overflow',
    reason: 'stricter: a number that no double can hold is 400',
    matches: (_request, ours) => code(ours) === 'ALC_ERR_CTP_NUMBER_TOO_LARGE' || /finite/.test(message(ours)),
  },
  {
    id: 'bad-url-type',
    reason: 'the same refusal of a path that cannot be decoded, with a charset in its media type, asked for without a body',
    matches: ({ method }, ours, theirs) =>
      method === 'HEAD' && ours.status === 400 && theirs.status === 400 && theirs.headers['content-type'] === 'application/json',
  },
  {
    id: 'transfer-coding',
    reason: 'stricter: a transfer coding other than chunked is 400',
    matches: (_request, ours) => code(ours) === 'ALC_ERR_BAD_TRANSFER_ENCODING',
  },
  {
    id: 'target',
    reason: 'stricter: a target that is neither a path nor an http URL is 400',
    matches: ({ target }, ours) => code(ours) === 'ALC_ERR_BAD_URL' && !target.startsWith('/'),
  },
  {
    id: 'host',
    reason: 'stricter: two hosts, or one that is none, are 400',
    matches: (_request, ours) => code(ours) === 'ALC_ERR_BAD_HOST',
  },
  {
    id: 'bad-url',
    reason: 'documented: a malformed URL takes the way of any request',
    matches: (_request, ours, theirs) => ours.status === 400 && /URL/.test(code(ours)) && [400, 404].includes(theirs.status),
  },
  {
    id: 'one-404',
    reason: 'documented: a method that no route has gets the 404 of the context',
    matches: (_request, ours, theirs) => [404, 401].includes(ours.status) && (theirs.status === 404 || code(theirs) === 'FST_ERR_BAD_URL'),
  },
  {
    id: 'long-parameter',
    reason: 'as version 4: where a parameter is too long no route is found',
    matches: (_request, ours, theirs) => [401, 404].includes(ours.status) && theirs.status === 414,
  },
  {
    id: 'body-before-404',
    reason: 'as version 4: a body that cannot be read is refused before the not-found handler runs',
    matches: (_request, ours, theirs) =>
      [400, 413, 415].includes(ours.status) && (theirs.status === 404 || code(theirs) === 'FST_ERR_BAD_URL'),
  },
  {
    id: '404-before-type',
    reason: 'as version 4: where no route is found, a type that has no parser is no matter',
    matches: (_request, ours, theirs) => [401, 404].includes(ours.status) && [400, 415].includes(theirs.status),
  },
  {
    id: 'alternatives',
    reason: 'documented: what a schema allows is taken although coercion would spoil it, and kept as it was sent',
    matches: ({ method, route }, ours, theirs) =>
      hasAlternatives(route) &&
      ours.status === 200 &&
      theirs.status === 400 &&
      (method === 'HEAD' || code(theirs) === 'FST_ERR_VALIDATION'),
  },
  {
    id: 'decimals',
    reason: 'documented: multipleOf goes by decimals',
    matches: ({ route }, ours, theirs) =>
      /multipleOf|money#/.test(JSON.stringify(route.schema)) &&
      ours.status === 200 &&
      theirs.status === 400 &&
      /multiple of/.test(message(theirs)),
  },
  {
    id: 'left-behind',
    reason: 'stricter: what coercion and removal leave behind must be valid as well',
    matches: (_request, ours, theirs) =>
      ours.status === 400 && theirs.status === 200 && code(ours) === '' && /^(?:body|querystring|params|headers)/.test(message(ours)),
  },
  {
    id: 'equality',
    reason: 'theirs fails: the validator calls what the client sent',
    matches: (_request, ours, theirs) => theirs.status === 500 && ours.status < 500,
  },
  {
    id: 'inherited',
    reason: 'documented: names that every object inherits are not properties',
    matches: ({ route }, ours, theirs) =>
      (ours.status === theirs.status || (ours.status === 200 && theirs.status === 400)) &&
      /constructor|toString|valueOf|hasOwnProperty/.test(JSON.stringify(route.schema ?? '')) &&
      (ours.status === 200 || code(theirs) === 'FST_ERR_VALIDATION'),
  },
  {
    id: 'as-sent',
    reason: 'documented: under alternatives a valid value is kept as it was sent',
    matches: ({ route }, ours, theirs) => ours.status === 200 && theirs.status === 200 && hasAlternatives(route),
  },
  {
    id: 'prototype-query',
    reason: 'documented: a __proto__ in a query or a form is dropped',
    matches: (request) => /__proto__/.test(decodeURIComponent(request.target.replace(/%(?![\da-f]{2})|%[89a-f][\da-f]/gi, ''))),
  },
  {
    id: 'cut-off',
    reason: 'whether a request that never ends is refused for that, or for what was read of it, is a matter of time',
    matches: (request, ours, theirs) =>
      (request.isGarbage || /none|short|long|both|bad/.test(request.framing)) &&
      [ours, theirs].some((answer) => answer.status === 0 || message(answer) === 'Client Error'),
  },
  {
    id: 'untyped-delete',
    reason:
      'as version 4: a DELETE or OPTIONS may have a content type without a body, or a body without a content type, which is left alone',
    matches: ({ method }, _ours, theirs) =>
      /DELETE|OPTIONS/.test(method) &&
      (theirs.status === 415 || code(theirs) === 'FST_ERR_CTP_EMPTY_JSON_BODY' || json(theirs)?.body === ''),
  },
  {
    id: 'version',
    reason: 'stricter: another major version of HTTP is 505, and a request line without a version is 400',
    matches: (_request, ours) => ours.status === 505 || code(ours) === 'ALC_ERR_BAD_HTTP_VERSION',
  },
]
