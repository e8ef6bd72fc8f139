/** Makes requests of an OpenAPI document: valid ones, and ones that break it in one place. */
import { createGenerator } from 'json-schema-faker'
import { createValidator } from './replies.mjs'

/** The operations of a document, each with its template and its method. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({ template, method, operation })),
  )
}

/**
 * Makes requests of operations of a document, with so many seeds: each `request` is allowed, with `broken`, requests that are not allowed by the
 * name of what is wrong in them.
 */
export async function* requestsOf(document, operations, seeds) {
  const isValid = createValidator(document)
  const isInvalid = (schema, value) => !isValid(schema, value)
  for (const { template, method, operation } of operations)
    for (let seed = 1; seed <= seeds; seed++)
      for (const request of await validRequests(document, isValid, template, method, operation, seed))
        yield { operation, request, broken: brokenRequests(request, operation, isInvalid) }
}

/** The document allows these requests. */
async function validRequests(document, isValid, template, method, operation, seed) {
  const generator = createGenerator({ seed, alwaysFakeOptionals: seed % 2 === 0 })
  // The components stand beside the schema: in it, a generator that adds properties would take them for one.
  const make = async (value) =>
    (await generator.generate({ type: 'object', required: ['value'], properties: { value }, components: document.components ?? {} })).value
  const parameters = []
  for (const parameter of operation.parameters ?? [])
    if (parameter.required || seed % 2 === 0) parameters.push([parameter, await make(parameter.schema)])
  const bodies = []
  for (const [type, { schema = {} }] of Object.entries(operation.requestBody?.content ?? {})) {
    const value = await make(schema)
    // The generator ends a schema that refers to itself with null.
    if (isValid(schema, value)) bodies.push({ type, value })
  }
  const base = { method, template, parameters, security: operation.security }
  return operation.requestBody === undefined ? [base] : bodies.map((body) => ({ ...base, body }))
}

/** Requests that the document does not allow: each with the name of what is wrong in it. */
function brokenRequests(valid, operation, isInvalid) {
  const broken = []
  for (const [parameter] of valid.parameters) {
    const others = valid.parameters.filter(([other]) => other !== parameter)
    if (parameter.required && parameter.in !== 'path') broken.push([`without ${parameter.name}`, { ...valid, parameters: others }])
    // A text that is no number; of a list, the server reads one value as a list of it.
    const item = parameter.schema.type === 'array' ? (parameter.schema.items ?? {}) : parameter.schema
    if (isInvalid(item, 'not a value') && isInvalid({ ...item, type: item.type ?? 'string' }, 'not a value'))
      broken.push([`a wrong ${parameter.name}`, { ...valid, parameters: [...others, [parameter, 'not a value']] }])
  }
  if (valid.body === undefined) return broken
  const { type, value } = valid.body
  const schema = operation.requestBody.content[type].schema ?? {}
  if (operation.requestBody.required) broken.push(['without a body', { ...valid, body: undefined }])
  if (!('*/*' in operation.requestBody.content))
    broken.push(['with a media type that is not listed', { ...valid, body: { type: 'application/x-none', value } }])
  if (!/[/+]json$/.test(type)) return broken
  // Neither an object nor a list of objects can be coerced to a text or a number.
  const wrong = [{ wrong: true }]
  if (isInvalid(schema, wrong)) broken.push(['with a body of another type', { ...valid, body: { type, value: wrong } }])
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return broken
  for (const key of Object.keys(value)) {
    const { [key]: _gone, ...without } = value
    if (isInvalid(schema, without)) broken.push([`without ${key} in the body`, { ...valid, body: { type, value: without } }])
    const changed = { ...value, [key]: wrong }
    if (isInvalid(schema, changed)) broken.push([`with a wrong ${key} in the body`, { ...valid, body: { type, value: changed } }])
  }
  return broken
}

/** The request as `inject` takes it. Parameters are written in the style of the document. */
export function toInject({ method, template, parameters, body, security }, tokens, common = {}) {
  const query = new URLSearchParams()
  const headers = { ...common }
  const cookies = []
  let url = template
  for (const [parameter, value] of parameters) {
    if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, encodeURIComponent(textOf(value)))
    else if (parameter.in === 'header') headers[parameter.name] = textOf(value)
    else if (parameter.in === 'cookie') cookies.push(`${parameter.name}=${encodeURIComponent(textOf(value))}`)
    else if (Array.isArray(value)) for (const each of value) query.append(parameter.name, textOf(each))
    else if (parameter.schema.type === 'object') for (const [key, each] of Object.entries(value)) query.append(key, textOf(each))
    else query.append(parameter.name, textOf(value))
  }
  for (const name of Object.keys(security?.[0] ?? {})) Object.assign(headers, tokens[name])
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ')
  if (body !== undefined) headers['content-type'] = body.type
  const text = query.toString()
  return {
    method: method.toUpperCase(),
    url: text === '' ? url : `${url}?${text}`,
    headers,
    ...(body !== undefined && { payload: /[/+]json$/.test(body.type) ? JSON.stringify(body.value) : textOf(body.value) }),
  }
}

function textOf(value) {
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value)
}
