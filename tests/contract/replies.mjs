/** Holds replies against an OpenAPI document. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Validates values by the schemas of a document. Its components are under the name `document`: see {@link withDocument}. */
export function ajvOf(document, options = {}) {
  const ajv = new Ajv2020({ strict: false, logger: false, ...options })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', components: document.components ?? {} })
  return ajv
}

/** Returns a function that says whether a value is valid by a schema of the document. */
export function createValidator(document) {
  const compile = createCompiler(ajvOf(document))
  return (schema, value) => compile(schema)(value)
}

/** Returns a function that compiles schemas of the document, each once. */
export function createCompiler(ajv) {
  const validators = new Map()
  return (schema) => {
    let validate = validators.get(schema)
    if (validate === undefined) validators.set(schema, (validate = ajv.compile(withDocument(schema))))
    return validate
  }
}

/** Returns a function that says what is wrong with a reply; `undefined` if the document lists it. */
export function createReplyCheck(document) {
  const ajv = ajvOf(document)
  const compile = createCompiler(ajv)
  return (operation, { status, type, payload }) => {
    const response = responseOf(operation, status, document)
    if (response === undefined) return `status ${status} is not listed (${Object.keys(operation.responses).join(', ')})`
    if (payload === '') return undefined
    if (response.content === undefined) return `status ${status} has a body, but none is listed`
    const mediaType = type?.split(';')[0].trim().toLowerCase()
    const content = response.content[mediaType] ?? response.content['*/*']
    if (content === undefined) return `status ${status} has the type ${type}, but ${Object.keys(response.content).join(', ')} is listed`
    if (content.schema === undefined || mediaType === undefined) return undefined
    const value = /[/+]json$/.test(mediaType) ? JSON.parse(payload) : payload
    const validate = compile(content.schema)
    return validate(value) ? undefined : `status ${status}: ${ajv.errorsText(validate.errors)} in ${payload.slice(0, 200)}`
  }
}

/** The references of a schema lead to the document, wherever the schema is compiled. */
export function withDocument(schema) {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' && typeof value === 'string' && value.startsWith('#/') ? `document${value}` : value,
  )
}

/** What an operation lists for a status. */
export function responseOf({ responses }, status, { components }) {
  const found = responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses.default
  return found?.$ref === undefined ? found : components.responses[found.$ref.replace('#/components/responses/', '')]
}

/** The operation of a route, by its method and its path as declared. */
export function operationOf(document, method, url) {
  const bare = (path) => path.replaceAll(/\{[^}]*\}|:[^/().-]+(?:\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\))?\??|[*]/g, '{}')
  const wanted = bare(url)
  for (const [template, item] of Object.entries(document.paths)) if (bare(template) === wanted) return item[method.toLowerCase()]
  return undefined
}
