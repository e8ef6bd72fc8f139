/** Sends what an OpenAPI document allows, and what it does not allow, to the server that it describes. */
import { createReplyCheck } from './replies.mjs'
import { operationsOf, requestsOf, toInject } from './requests.mjs'

/**
 * Resolves to what is wrong: a request that the document allows was refused, one that it does not allow was accepted, or a reply is not one
 * that it lists. `tokens` are headers for the security schemes, `headers` those of every request, `undeclared` the statuses of guards that
 * declare nothing, `basePath` the path below which the document describes routes.
 */
export async function exchange(server, document, { tokens = {}, headers: common, undeclared = [], basePath = '', seeds = 20 }) {
  const findProblem = createReplyCheck(document)
  const problems = new Set()
  let sent = 0
  const send = async (title, request, operation, isWanted) => {
    const given = toInject(request, tokens, common)
    const { statusCode: status, headers, payload } = await server.inject({ ...given, url: basePath + given.url })
    sent++
    if (undeclared.includes(status)) return
    const reply = { status, type: headers['content-type'], payload }
    const problem = findProblem(operation, reply) ?? (isWanted(status) ? undefined : `status ${status}: ${payload.slice(0, 200)}`)
    if (problem !== undefined) problems.add(`${given.method} ${given.url} ${title} ${given.payload ?? ''}: ${problem}`)
  }
  for await (const { operation, request, broken } of requestsOf(document, operationsOf(document), seeds)) {
    await send('', request, operation, (status) => ![400, 413, 415].includes(status))
    for (const [title, each] of broken) await send(`(${title})`, each, operation, (status) => status >= 400 && status < 500)
  }
  return { problems: [...problems], sent }
}
