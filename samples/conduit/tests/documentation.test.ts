/** The generated OpenAPI document is valid and agrees with the file of the specification. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { openapi } from 'alcove/contract'
import { parse } from 'yaml'
import { App, document as options } from '../src/app.js'

/** Nothing of the application is constructed: there is no database. */
const document: any = openapi(App, options)

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  assert.ok(valid, JSON.stringify(errors, null, 2))
  assert.equal(document.openapi, '3.1.1')
})

test('names of operations and tags come from methods and classes', () => {
  const { paths } = document
  assert.deepEqual(
    [paths['/articles'].post.operationId, paths['/articles'].post.tags, paths['/articles'].post.security],
    ['CreateArticle', ['Articles'], [{ Token: [] }]],
  )
  assert.deepEqual([paths['/tags'].get.operationId, paths['/tags'].get.tags, paths['/tags'].get.security], ['GetTags', ['Tags'], undefined])
  const tags = new Set<string>(Object.values<any>(paths).flatMap((path) => Object.values<any>(path).flatMap(({ tags }) => tags)))
  assert.deepEqual(tags, new Set(['Articles', 'Comments', 'Current user', 'Favorites', 'Profile', 'Tags', 'Users']))
})

const file = fileURLToPath(new URL('../../../../../shared/conduit-openapi.yml', import.meta.url))
const isMissing = !existsSync(file)
if (isMissing) console.error(`\n!!! SKIPPED: the specification's OpenAPI file is not at ${file}.\n`)

describe('compared with the file of the specification', { skip: isMissing }, () => {
  const given = isMissing ? undefined : parse(readFileSync(file, 'utf8'))
  const operationsOf = ({ paths }: any): Map<string, any> =>
    new Map(
      Object.entries<any>(paths).flatMap(([path, operations]) =>
        Object.entries<any>(operations).map(([method, operation]) => [`${method} ${path}`, operation]),
      ),
    )
  const resolve = (root: any, value: any): any =>
    typeof value?.$ref !== 'string'
      ? value
      : resolve(
          root,
          value.$ref
            .slice(2)
            .split('/')
            .reduce((at: any, key: string) => at[key], root),
        )

  test('paths, methods and operationIds are the same', () => {
    const emitted = operationsOf(document)
    const names = (operations: Map<string, any>) => [...operations].map(([key, { operationId }]) => `${key} ${operationId}`).toSorted()
    assert.deepEqual(names(emitted), names(operationsOf(given)))
  })

  test('parameters, security, bodies and successes are the same', () => {
    for (const [key, expected] of operationsOf(given)) {
      const operation = operationsOf(document).get(key)
      const parameters = (root: any, of: any) =>
        (of.parameters ?? [])
          .map((entry: any) => resolve(root, entry))
          .map(({ in: place, name, required = false, schema }: any) => ({
            place,
            name,
            required,
            type: schema.type,
            default: schema.default ?? 0,
          }))
          .toSorted((a: any, b: any) => a.name.localeCompare(b.name))
      assert.deepEqual(parameters(document, operation), parameters(given, expected), key)
      assert.deepEqual(operation.security, expected.security, key)
      const body = (root: any, of: any) => resolve(root, of.requestBody)?.content['application/json'].schema
      if (expected.requestBody) compare(body(document, operation), body(given, expected), `${key} body`, document)
      else assert.equal(operation.requestBody, undefined, key)
      for (const [status, response] of Object.entries<any>(expected.responses)) {
        if (!status.startsWith('2') || status === '204') continue
        const schema = resolve(given, response).content['application/json'].schema
        compare(operation.responses[status].content['application/json'].schema, schema, `${key} ${status}`, document)
      }
    }
  })

  /** The same properties are required, and properties in both documents have the same type; we read `bio` and `image` as nullable. */
  function compare(ours: any, theirs: any, place: string, emitted: any): void {
    const [own, expected] = [resolve(emitted, ours), resolve(given, theirs)]
    assert.deepEqual(new Set(own.required), new Set(expected.required), `${place}: required`)
    const types = [own.type].flat().filter((type) => type !== 'null' || !/\.(bio|image)$/.test(place))
    assert.deepEqual(types, [expected.type], `${place}: type`)
    assert.equal(own.format ?? expected.format, expected.format ?? own.format, `${place}: format`)
    for (const [name, property] of Object.entries(expected.properties ?? {})) {
      assert.ok(own.properties?.[name] !== undefined, `${place}.${name} is there`)
      compare(own.properties[name], property, `${place}.${name}`, emitted)
    }
    if (expected.items) compare(own.items, expected.items, `${place}[]`, emitted)
  }

  test('statuses are those of the file, 403 and 404 besides, and one schema for any other failure', () => {
    const emitted = operationsOf(document)
    const extra: string[] = []
    for (const [key, { responses }] of operationsOf(given)) {
      const own = Object.keys(emitted.get(key).responses)
      assert.ok(own.includes('default'), key)
      const missing = Object.keys(responses).filter((status) => !own.includes(status))
      assert.deepEqual(missing, [], key)
      extra.push(...own.filter((status) => status !== 'default' && responses[status] === undefined).map((status) => `${key} ${status}`))
    }
    assert.deepEqual(extra.toSorted(), [
      'delete /articles/{slug} 403',
      'delete /articles/{slug} 404',
      'delete /articles/{slug}/comments/{id} 403',
      'delete /articles/{slug}/comments/{id} 404',
      'delete /articles/{slug}/favorite 404',
      'delete /profiles/{username}/follow 404',
      'get /articles/{slug} 401',
      'get /articles/{slug} 404',
      'get /articles/{slug}/comments 404',
      'get /profiles/{username} 404',
      'post /articles/{slug}/comments 404',
      'post /articles/{slug}/favorite 404',
      'post /profiles/{username}/follow 404',
      'put /articles/{slug} 403',
      'put /articles/{slug} 404',
    ])
  })
})
