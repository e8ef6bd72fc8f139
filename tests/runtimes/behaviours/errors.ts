import { answers, type Behaviour } from '../client.js'

const internal = { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' }

export const errors: readonly Behaviour[] = [
  answers('the message of an error that is thrown stays in the server', '/errors/thrown', { status: 500, json: internal }),
  answers('an error has its status', '/errors/rejected', {
    status: 409,
    json: { statusCode: 409, error: 'Conflict', message: 'conflict' },
  }),
  answers('an HttpError has its code', '/errors/http-error', { status: 403, has: { code: 'NOT_FOR_YOU', message: 'not for you' } }),
  answers('an error may have headers', '/errors/with-headers', { status: 429, headers: { 'retry-after': '7' } }),
  answers('a status that is none is an error', '/errors/bad-status', { status: 500, has: { code: 'ALC_ERR_BAD_STATUS_CODE' } }),
  answers('a reply that cannot be serialized is an error', '/errors/circular', { status: 500 }),
  answers('an error handler answers', '/errors/handled', { status: 422, json: { handled: 'mine' } }),
  answers('a handler that takes too long is answered for', '/errors/slow', { status: 503, has: { code: 'ALC_ERR_HANDLER_TIMEOUT' } }),
  answers('an error of a HEAD request has no body', 'HEAD /errors/thrown', { status: 500, body: '' }),
  answers('an unknown path of a HEAD request has no body', 'HEAD /nowhere', { status: 404, body: '' }),
]
