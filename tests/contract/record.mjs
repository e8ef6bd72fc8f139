/**
 * Loaded by `node --import` before tests: holds each reply of every server against the server's own document. ALCOVE_REPLIES names the
 * file that gets a line for each reply.
 */
import { appendFileSync } from 'node:fs'
import { subscribe } from 'node:diagnostics_channel'
import { openapi } from '../../dist/decorators/contract/index.js'
import { createReplyCheck, operationOf } from './replies.mjs'

const report = process.env.ALCOVE_REPLIES

subscribe('alcove.initialization', ({ server }) => {
  let check
  const documentOf = () => {
    const document = openapi(server, { info: { title: 'Recorded', version: '1.0.0' } })
    return { document, findProblem: createReplyCheck(document) }
  }
  server.addHook('onSend', (request, reply, payload, done) => {
    const { url } = request.routeOptions
    // Nobody describes replies for unknown paths, or streams.
    if (url !== undefined && request.method !== 'HEAD' && (payload == null || typeof payload === 'string' || Buffer.isBuffer(payload))) {
      check ??= documentOf()
      const title = `${request.method} ${url} ${reply.statusCode}`
      const operation = operationOf(check.document, request.method, url)
      const problem =
        operation === undefined
          ? 'the route is not described'
          : check.findProblem(operation, {
              status: reply.statusCode,
              type: reply.getHeader('content-type'),
              payload: String(payload ?? ''),
            })
      appendFileSync(report, problem === undefined ? `listed: ${title}\n` : `${title}: ${problem}\n`)
    }
    done(null, payload)
  })
})
