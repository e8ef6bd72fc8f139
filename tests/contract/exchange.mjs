/** Sends what an OpenAPI document allows, and what it does not allow, to the server that it describes. */
import { ajvOf, createReplyCheck, withDocument } from './replies.mjs'
import { brokenRequests, toInject, validRequests } from './requests.mjs'

/**
 * Resolves to what is wrong: a request that the document allows was refused, one that it does not allow was accepted, or a reply is not one
 * that it lists. `tokens` are headers for the security schemes, `headers` those of every request, `undeclared` the statuses of guards that
 * declare nothing, `basePath` the path below which the document describes routes.
 */
export async function exchange(server, document, { tokens = {}, headers: common, undeclared = [], basePath = '', seeds = 20 }) {
  const findProblem = createReplyCheck(document)
  const ajv = ajvOf(document)
  const isInvalid = (schema, value) => !ajv.validate(withDocument(schema), value)
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
  for (const [template, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item))
      for (let seed = 1; seed <= seeds; seed++) {
        for (const request of await validRequests(document, template, method, operation, seed)) {
          await send('', request, operation, (status) => ![400, 413, 415].includes(status))
          for (const [title, broken] of brokenRequests(request, operation, isInvalid))
            await send(`(${title})`, broken, operation, (status) => status >= 400 && status < 500)
        }
      }
  return { problems: [...problems], sent }
}
