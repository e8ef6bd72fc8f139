/**
 * Changes valid bodies at random, and compares what an OpenAPI document says of the result with what the server does. The server coerces texts
 * and fills in defaults, a schema library may not: what the document allows as it stands must be accepted, and what it refuses after coercion
 * too must be refused.
 */
import { Random } from '../../dist/decorators/tools/values/random.js'
import { ajvOf, createCompiler, createReplyCheck, createValidator } from './replies.mjs'
import { operationsOf, requestsOf, toInject } from './requests.mjs'

const strange = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e6,
  1e6 + 1,
  '',
  'a',
  '1',
  'null',
  'true',
  '2024-02-30',
  [],
  {},
  [null],
  { a: 1 },
  ['a', 'a'],
  '\u2028',
]

/** Every place in a value: the object or list that holds it, and its key. */
function placesOf(holder, found = []) {
  for (const key of Object.keys(holder)) {
    found.push([holder, key])
    if (holder[key] !== null && typeof holder[key] === 'object') placesOf(holder[key], found)
  }
  return found
}

function remove(holder, key) {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

function add(holder, key, value) {
  if (Array.isArray(holder)) holder.push(value)
  else holder[key] = value
}

/** Changes a value in one to three places. */
function mutate(value, random) {
  const root = { value: structuredClone(value) }
  for (let times = random.int(1, 3); times > 0; times--) {
    const [holder, key] = random.pick(placesOf(root))
    const kind = random.next()
    if (kind < 0.25 && holder !== root) remove(holder, key)
    else if (kind < 0.4 && holder[key] !== null && typeof holder[key] === 'object')
      add(holder[key], random.pick(['a', 'b', 'x-y', 'name', 'id', 'kind']), structuredClone(random.pick(strange)))
    else holder[key] = structuredClone(random.pick(strange))
  }
  return root.value
}

/**
 * Resolves to the differences: a body that the document allows and the server refuses, or the reverse, and replies that are not listed.
 * @param count requests, spread over the operations that have a JSON body
 */
export async function mutateBodies(server, document, { count, seed = 1, headers }) {
  const findProblem = createReplyCheck(document)
  const isAllowed = createValidator(document)
  const compile = createCompiler(ajvOf(document, { coerceTypes: 'array', useDefaults: true, removeAdditional: true }))
  const isAllowedCoerced = (part, value) => compile(part)({ value: structuredClone(value) })
  const random = new Random(seed)
  const problems = new Set()
  const operations = operationsOf(document).filter(({ operation }) => operation.requestBody?.content['application/json'] !== undefined)
  let sent = 0
  const bases = []
  for await (const { operation, request } of requestsOf(document, operations, 4)) {
    const { schema } = operation.requestBody.content['application/json']
    // A value is coerced only where it has a holder.
    bases.push({ operation, request, schema, part: { properties: { value: schema } } })
  }
  while (sent < count) {
    const { operation, request, schema, part } = bases[sent % bases.length]
    const value = mutate(request.body.value, random)
    const given = toInject({ ...request, body: { type: 'application/json', value } }, {}, headers)
    const { statusCode: status, headers: received, payload } = await server.inject(given)
    sent++
    const problem =
      findProblem(operation, { status, type: received['content-type'], payload }) ??
      (status === 400 ? isAllowed(schema, value) && 'the document allows it' : !isAllowedCoerced(part, value) && 'the document refuses it')
    if (problem)
      problems.add(`${given.method} ${given.url} ${given.payload}: ${problem}, and the server answered ${status}: ${payload.slice(0, 200)}`)
  }
  return { problems: [...problems], sent }
}
