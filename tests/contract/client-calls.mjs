/** Calls the functions of a client file with the requests that `requests.mjs` makes of a document. */
import { operationsOf } from './requests.mjs'

/**
 * The functions of a client by their names (`users.find`), each with the operations that it calls.
 * @param routes the table of the client file
 */
export function functionsOf(routes, document) {
  const operations = operationsOf(document)
  return entriesOf(routes).map(({ name, entry }) => ({
    name,
    entry,
    operations: operations.filter(
      ({ template, method }) =>
        method.toUpperCase() === entry.method && templatesOf(entry).includes(template.replaceAll(/\{[^}]*\}/g, '{}')),
    ),
  }))
}

function entriesOf(table, prefix = '') {
  return Object.entries(table).flatMap(([name, entry]) =>
    Array.isArray(entry.path) ? [{ name: prefix + name, entry }] : entriesOf(entry, `${prefix}${name}.`),
  )
}

/** `/users/{}`: documents have a path with an optional parameter twice, and know no wildcards. */
function templatesOf({ path }) {
  const texts = path.map((text, index) => (index % 2 === 0 ? text : '{}'))
  const shorter = path.at(-1).endsWith('?')
    ? [
        texts
          .slice(0, -1)
          .join('')
          .replace(/(?<=.)\/$/, ''),
      ]
    : []
  return [texts.join(''), ...shorter]
}

/** The request as functions of a client take it. */
export function toParts({ template, parameters, body, security }, entry, tokens, common = {}) {
  const names = [...template.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  const ownNames = entry.path.filter((_text, index) => index % 2 === 1).map((text) => text.replaceAll(/^:|\?$/g, ''))
  const params = {}
  const query = {}
  const headers = { ...common }
  const cookies = {}
  for (const [parameter, value] of parameters) {
    if (parameter.in === 'path') params[ownNames[names.indexOf(parameter.name)]] = value
    else if (parameter.in === 'header') headers[parameter.name] = value
    else if (parameter.in === 'cookie') cookies[parameter.name] = value
    else if (parameter.schema.type === 'object' && !Array.isArray(value)) Object.assign(query, value)
    else query[parameter.name] = value
  }
  for (const name of Object.keys(security?.[0] ?? {})) Object.assign(headers, tokens[name])
  if (body !== undefined && body.type !== (entry.body ?? 'application/json')) headers['content-type'] = body.type
  const isGiven = (part) => Object.keys(part).length > 0
  return {
    ...(isGiven(params) && { params }),
    ...(isGiven(query) && { query }),
    ...(isGiven(headers) && { headers }),
    ...(isGiven(cookies) && { cookies }),
    ...(body !== undefined && { body: body.value }),
  }
}
