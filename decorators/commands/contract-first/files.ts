/** Writes the source files of the application that is planned from a contract. */
import { holdingOf, isContainer, isObject } from '../../../lib/internal.js'
import { docComment } from '../../contract/client-file/type-texts.js'
import type { PlannedApplication, PlannedGroup } from './plan.js'
import type { PlannedAction } from './plan-action.js'
import type { ErrorMembers } from './plan-errors.js'
import { type PlannedSchema, referencesIn } from './plan-schemas.js'
import { Code, print, text, WithSpread } from './print.js'

type Schema = any

/** Returns the source files of an application: their texts by their paths below `src`. */
export function writeFiles(plan: PlannedApplication): Readonly<Record<string, string>> {
  const schemas = new Map(plan.schemas.map((each) => [each.id, each]))
  return {
    ...(plan.schemas.length > 0 && { 'models.ts': modelsFile(plan.schemas, schemas) }),
    ...(plan.guards.length > 0 && { 'guards.ts': guardsFile(plan) }),
    ...(plan.errors !== undefined && { 'errors.ts': errorsFile(plan.errors) }),
    ...Object.fromEntries(
      plan.groups.flatMap((group) => [
        [`${group.file}/${group.file}.controller.ts`, controllerFile(group, schemas)],
        [`${group.file}/${group.file}.plugin.ts`, pluginFile(group)],
      ]),
    ),
    'app.ts': appFile(plan),
    'main.ts': mainFile,
    'contract.test.ts': testFile,
  }
}

/** Returns the code for a reference to the shared schema with this `$id`, in the schema that is being written. */
type Refer = (id: string) => Code

function modelsFile(schemas: readonly PlannedSchema[], byId: ReadonlyMap<string, PlannedSchema>): string {
  const declarations = schemas.map((planned) => {
    const { id, identifier, schema, isModel, circle } = planned
    const refer: Refer = (other) => {
      const target = byId.get(other)!
      if (!circle.has(other)) return referToPlanned(target)
      // While a class is being declared, only a property of another class may have its type.
      return isModel && target.isModel ? new Code(`ref((): Class<${target.identifier}> => ${target.identifier})`) : plainReference(other)
    }
    // The text around the schema counts for the width of the line: `export class … extends Model(…) {}`.
    const value = print(withReferences({ $id: id, ...schema }, refer), 0, identifier.length + (isModel ? 32 : 24))
    return isModel ? `export class ${identifier} extends Model(${value}) {}` : `export const ${identifier} = ${value} as const`
  })
  const code = declarations.join('\n\n')
  const imports = [
    ...(/\bClass</.test(code) ? ['type Class'] : []),
    ...(schemas.some(({ isModel }) => !isModel) ? ['type FromSchema'] : []),
    ...(schemas.some(({ isModel }) => isModel) ? ['Model'] : []),
    ...(/\bref\(/.test(code) ? ['ref'] : []),
    ...(schemas.some(({ isModel }) => !isModel) ? ['type TypedSchema'] : []),
  ]
  return [
    `/** The schemas that several operations share. */\nimport { ${imports.join(', ')} } from 'alcove'\n`,
    ...(schemas.some(({ isModel }) => !isModel) ? [referToFunction] : []),
    `${code}\n`,
    `/** All shared schemas, for the option \`schemas\` of a plugin. */\nexport const schemas = ${print(schemas.map(({ identifier }) => new Code(identifier)))}\n`,
  ].join('\n')
}

const referToFunction = `/** Refers to a schema that is not a class by its $id. */
export function refTo<const S extends { readonly $id: string }>({ $id }: S) {
  return { $ref: \`\${$id}#\` } as { readonly $ref: string } & TypedSchema<FromSchema<S>>
}
`

function referToPlanned({ identifier, isModel }: PlannedSchema): Code {
  return new Code(`${isModel ? 'ref' : 'refTo'}(${identifier})`)
}

function plainReference(id: string): Code {
  return new Code(print({ $ref: `${id}#` }))
}

/** Returns a schema in which code replaces the references. A member `$ref` in data, such as a default, is not a reference and is kept. */
function withReferences(schema: Schema, refer: Refer): unknown {
  if (!isObject(schema)) return schema
  const { $ref, ...others } = schema
  const members = Object.fromEntries(
    Object.entries(others).map(([keyword, value]) => [keyword, valueWithReferences(keyword, value, refer)]),
  )
  if (typeof $ref !== 'string') return members
  const code = refer($ref.slice(0, -1))
  return Object.keys(members).length === 0 ? code : new WithSpread(code, members)
}

function valueWithReferences(keyword: string, value: Schema, refer: Refer): unknown {
  const holds = holdingOf(keyword)
  if (!isContainer(value) || holds === 'data' || holds === 'plain' || holds === undefined) return value
  if (Array.isArray(value)) return value.map((entry) => withReferences(entry, refer))
  if (holds !== 'map') return withReferences(value, refer)
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, Array.isArray(entry) ? entry : withReferences(entry, refer)]),
  )
}

/**
 * Returns the schema of a route in which code replaces all references, in the schemas of its body, params, query, headers and responses.
 */
function routeSchema(schema: PlannedAction['schema'], refer: Refer): unknown {
  const part = (value: Schema): unknown =>
    isObject(value) && isObject(value['content']) && value['type'] === undefined ? content(value) : whole(value)
  const content = (value: Schema): unknown => ({
    ...value,
    ...headersOf(value),
    content: Object.fromEntries(
      Object.entries<Schema>(value.content).map(([type, media]) => [type, { ...media, schema: withReferences(media.schema, refer) }]),
    ),
  })
  const headersOf = ({ headers }: Schema): object =>
    headers === undefined
      ? {}
      : { headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, withReferences(header, refer)])) }
  const whole = (value: Schema): unknown => {
    if (!isObject(value)) return value
    const { headers: _headers, links, ...rest } = value
    const written = withReferences(rest, refer)
    return _headers === undefined && links === undefined
      ? written
      : { ...(written as object), ...headersOf(value), ...(links && { links }) }
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'response')
        return [key, Object.fromEntries(Object.entries<Schema>(value).map(([status, entry]) => [status, part(entry)]))]
      return [key, key === 'servers' || key === 'callbacks' ? value : part(value)]
    }),
  )
}

function guardsFile({ guards }: PlannedApplication): string {
  const classes = guards.map(
    ({ name, security }) => `export class ${name} {
  static readonly security = ${print(security, 1, 27)} satisfies SecuritySchemes

  /** Write this guard: it lets a request in, or throws an HttpError with the status 401 or 403. Until then no request gets in. */
  onRequest(): void {
    throw new HttpError(501, '${name} is left to write')
  }
}`,
  )
  return `/** The guards, which decide who may send a request. Each is left to write. */
import { HttpError, type SecuritySchemes } from 'alcove'

${classes.join('\n\n')}
`
}

const messageText = `    // The message of a failure of the server is not for clients.
    const message = status < 500 ? error.message : (STATUS_CODES[status] ?? 'Error')
`

function errorsFile(members: ErrorMembers): string {
  const code = {
    status: 'status',
    'status text': 'String(status)',
    message: 'message',
    title: "STATUS_CODES[status] ?? 'Error'",
    code: "error.code ?? STATUS_CODES[status] ?? 'Error'",
  }
  const payload = Object.fromEntries(Object.entries(members).map(([name, meaning]) => [name, new Code(code[meaning])]))
  return `/** Answers errors in the form of the contract. */
import { STATUS_CODES } from 'node:http'
import type { Reply, Request } from 'alcove'

export class ContractErrors {
  errorHandler(error: Error & { readonly statusCode?: number; readonly code?: string }, request: Request, reply: Reply) {
    const status = error.statusCode ?? 500
    if (status >= 500) request.log.error(error)
${Object.values(members).includes('message') ? messageText : ''}    return reply.code(status).send(${print(payload, 2, 32)})
  }
}
`
}

const decorators: Readonly<Record<string, string>> = {
  GET: 'Get',
  POST: 'Post',
  PUT: 'Put',
  PATCH: 'Patch',
  DELETE: 'Delete',
  HEAD: 'Head',
  OPTIONS: 'Options',
}

function controllerFile({ actions, controller, prefix, tags }: PlannedGroup, schemas: ReadonlyMap<string, PlannedSchema>): string {
  const refer: Refer = (id) => referToPlanned(schemas.get(id)!)
  const [first] = actions
  const shared = actions.every(({ guards }) => guards === first?.guards || sameGuards(guards, first!.guards)) ? (first?.guards ?? []) : []
  const constants = actions.map(
    ({ constant, schema }) => `const ${constant} = ${print(routeSchema(schema, refer), 0, constant.length + 18)} as const`,
  )
  const methods = actions.map((action) => methodText(action, shared.length > 0))
  const guards = [...new Set(actions.flatMap((action) => action.guards.map(({ name }) => name)))].sort()
  const used = [...new Set(actions.flatMap(({ schema }) => referencesIn(schema)))].map((id) => schemas.get(id)!)
  const options = tags === undefined ? '' : `, ${print({ docs: { tags } })}`
  const code = [
    constants.join('\n\n'),
    `@Controller(${text(prefix)}${options})\n${shared.map(({ name }) => `@Hook('onRequest', ${name})\n`).join('')}export class ${controller} {\n${methods.join('\n\n')}\n}`,
  ].join('\n\n')
  const names = [
    ...new Set(actions.map(({ method }) => decorators[method] ?? 'Action')),
    'Controller',
    ...(guards.length > 0 ? ['Hook'] : []),
    ...(actions.length > 0 ? ['HttpError'] : []),
    ...(used.some(({ isModel }) => isModel) ? ['ref'] : []),
    ...(actions.some(({ schema }) => hasInput(schema)) ? ['type RouteRequest'] : []),
  ].sort((one, other) => (one.replace('type ', '').toLowerCase() < other.replace('type ', '').toLowerCase() ? -1 : 1))
  const models = [...used.map(({ identifier }) => identifier), ...(used.some(({ isModel }) => !isModel) ? ['refTo'] : [])].sort()
  return [
    importOf(names, 'alcove'),
    ...(guards.length > 0 ? [importOf(guards, '../guards.js')] : []),
    ...(models.length > 0 ? [importOf(models, '../models.js')] : []),
    `\n${code}\n`,
  ].join('\n')
}

function importOf(names: readonly string[], module: string): string {
  const line = `import { ${names.join(', ')} } from '${module}'`
  return line.length <= 140 ? line : `import {\n${names.map((name) => `  ${name},\n`).join('')}} from '${module}'`
}

function sameGuards(one: PlannedAction['guards'], other: PlannedAction['guards']): boolean {
  return one.length === other.length && one.every((guard, index) => guard === other[index])
}

function hasInput(schema: PlannedAction['schema']): boolean {
  return ['params', 'querystring', 'headers', 'cookies', 'body'].some((part) => schema[part] !== undefined)
}

function methodText(action: PlannedAction, areGuardsShared: boolean): string {
  const { method, path, member, constant, status, docs, deprecated, schema, guards, hasHeadRoute } = action
  const options = {
    ...(path !== '' && { path }),
    ...(status !== undefined && { status }),
    ...(!hasHeadRoute && { exposeHeadRoute: false }),
    ...(deprecated !== false && { deprecated }),
    ...(Object.keys(docs).length > 0 && { docs }),
  }
  const name = decorators[method]
  const start = name === undefined ? `@Action(${text(method)}, ` : `@${name}(`
  const isPath = Object.keys(options).every((key) => key === 'path')
  const first = isPath ? text(path) : print(options, 1, start.length + constant.length + 3)
  const decorator = first.includes('\n') ? `${start}\n    ${print(options, 2)},\n    ${constant},\n  )` : `${start}${first}, ${constant})`
  const hooks = areGuardsShared ? [] : guards.map((guard) => `  @Hook('onRequest', ${guard.name})\n`)
  // The compiler allows an unused parameter whose name begins with `_`.
  const request = hasInput(schema) ? `_request: RouteRequest<typeof ${constant}>` : ''
  return `${docComment([`${method} ${action.operation.path}`]).replaceAll(/^(?=.)/gm, '  ')}  ${decorator}
${hooks.join('')}  ${member}(${request}): never {
    throw new HttpError(501, ${text(`${member} is left to write`)})
  }`
}

function pluginFile({ file, plugin, controller }: PlannedGroup): string {
  return `import { Plugin } from 'alcove'
import { ${controller} } from './${file}.controller.js'

@Plugin({ routes: [${controller}] })
export class ${plugin} {}
`
}

/** Returns the path of the documentation page; `undefined` if there is no page, because the contract has operations below this path. */
export function docsPath({ prefix = '', groups }: PlannedApplication): string | undefined {
  const isTaken = groups.some((group) => group.actions.some(({ path }) => /^\/docs(?:\/|$)/.test(group.prefix + path)))
  return isTaken ? undefined : `${prefix}/docs`
}

function appFile(plan: PlannedApplication): string {
  const { document, prefix, hasProblems, errors, validator, schemas, groups } = plan
  const page = docsPath(plan)
  const options = {
    ...(prefix !== undefined && { prefix }),
    ...(hasProblems && { errorFormat: 'problem' }),
    ...(errors !== undefined && { errorHandler: new Code('ContractErrors') }),
    ...(schemas.length > 0 && { schemas: new Code('schemas') }),
    imports: [...(page === undefined ? [] : [new Code('docsPage(document)')]), ...groups.map(({ plugin }) => new Code(plugin))],
  }
  const imports = [
    ...groups.map(({ file, plugin }) => importOf([plugin], `./${file}/${file}.plugin.js`)),
    ...(schemas.length > 0 ? [importOf(['schemas'], './models.js')] : []),
    ...(errors !== undefined ? [importOf(['ContractErrors'], './errors.js')] : []),
  ].sort(byPath)
  const optionsText = validator === undefined ? '{}' : print({ jsv: { customOptions: validator } })
  const comment = `${validator === undefined ? 'The options of the server.' : 'The options of the server that the schemas of the contract need.'} The commands of alcove find them by the name of this export.`
  return `import { Plugin, type ServerOptions } from 'alcove'
import ${page === undefined ? 'type { OpenApiOptions }' : '{ docsPage, type OpenApiOptions }'} from 'alcove/contract'
${imports.join('\n')}

/** The parts of the OpenAPI document besides the routes${page === undefined ? '' : `, for the page at ${page}`}. \`alcove openapi dist/app.js\` finds them by the name of this export. */
export const document = ${print(document, 0, 24)} satisfies OpenApiOptions

/** ${comment} */
export const options = ${optionsText} satisfies ServerOptions

@Plugin(${print(options, 0, 8)})
export class App {}
`
}

function byPath(one: string, other: string): number {
  const pathOf = (line: string): string => /'(.*)'/.exec(line)![1]!
  return pathOf(one) < pathOf(other) ? -1 : 1
}

const mainFile = `import { bootstrap, closeOnSignals } from 'alcove'
import { App, options } from './app.js'

const server = await bootstrap(App, { ...options, logger: true })
closeOnSignals(server)
await server.listen({ port: Number(process.env['PORT'] ?? 3000), host: process.env['HOST'] ?? 'localhost' })
`

const testFile = `import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { contractDifferences, openapi } from 'alcove/contract'
import { App, document, options } from './app.js'

async function readContract(name: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(\`../contract/\${name}\`, import.meta.url), 'utf8'))
}

test('the application keeps its contract, but for the differences that are listed', async () => {
  const known = Object.keys((await readContract('differences.json')) as object)
  assert.deepEqual(contractDifferences(await readContract('openapi.json'), openapi(App, document, options)), known)
})

test('the application boots', async () => {
  await using app = await testServer(App, { server: options })
  assert.equal((await app.inject('/no-such-path')).statusCode, 404)
})
`
