/** Reads streams over HTTP, as an OpenAPI 3.2 document describes them. */
import { createReplyCheck, createValidator } from './replies.mjs'
import { operationsOf, requestsOf, toInject } from './requests.mjs'

/** The items that are read of each stream; what follows is aborted. */
const ITEMS = 3

/** Resolves to what is wrong, and to how many items were read. Every operation of the document must be a stream. */
export async function readStreams(server, document) {
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  const findProblem = createReplyCheck(document)
  const isValid = createValidator(document)
  const problems = new Set()
  let items = 0
  for await (const { operation, request, broken } of requestsOf(document, operationsOf(document), 20)) {
    for (const [type, { itemSchema }] of Object.entries(operation.responses[200].content)) {
      const { status, found } = await read(origin, request, type)
      if (status !== 200 || found.length !== ITEMS) problems.add(`${type}: ${status}, ${found.length} items`)
      const { contentSchema = true } = itemSchema.properties?.data ?? {}
      for (const each of found)
        if (!isValid(itemSchema, each) || ('data' in each && !isValid(contentSchema, JSON.parse(each.data))))
          problems.add(`${type}: ${JSON.stringify(each)}`)
      items += found.length
    }
    const refused = [[request, 'application/x-none', 406], ...broken.map(([, each]) => [each, '*/*', 400])]
    for (const [each, type, wanted] of refused) {
      const { status, reply } = await read(origin, each, type)
      const problem = status === wanted ? findProblem(operation, reply) : `${status} instead of ${wanted}`
      if (problem !== undefined) problems.add(problem)
    }
  }
  return { problems: [...problems], items }
}

async function read(origin, request, accept) {
  const { method, url, headers } = toInject(request, {}, { accept })
  const abort = new AbortController()
  const response = await fetch(origin + url, { method, headers, signal: abort.signal })
  const type = response.headers.get('content-type')
  if (!response.ok) return { status: response.status, reply: { status: response.status, type, payload: await response.text() } }
  const found = []
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true })
    found.splice(0, Infinity, ...(accept === 'text/event-stream' ? events(text) : lines(text)))
    if (found.length >= ITEMS) break
  }
  abort.abort()
  return { status: response.status, found: found.slice(0, ITEMS) }
}

/** The events that are complete, as `itemSchema` describes them: objects of their fields. */
function events(text) {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.replace(/^\w*: ?/, '')])))
}

function lines(text) {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
