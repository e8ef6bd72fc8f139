/**
 * The command `alcove mock`: starts a server that replies to the requests of a contract with the contract's examples and with generated
 * values.
 */
import { closeOnSignals, type Reply, type Request, type RouteHandler, type Server, type ServerOptions } from '../../lib/index.js'
import { isObject, nearestName } from '../../lib/internal.js'
import type { Contract } from '../contract/document/contract-types.js'
import { isJson } from '../contract/openapi/messages.js'
import { Plugin } from '../declare/plugin.js'
import { bootstrap } from '../run/bootstrap.js'
import { makeApplication } from './contract-first/application.js'
import { type PlannedApplication, serversPointer } from './contract-first/plan.js'
import type { PlannedAction } from './contract-first/plan-action.js'
import { planFile } from './contract-first/plan-file.js'
import { failedReply, replyOf, type MockReply } from './mock/replies.js'
import { Values } from './mock/values.js'
import { UsageError } from './modules.js'

export interface MockArguments {
  readonly port?: string | undefined
  readonly host?: string | undefined
  readonly seed?: string | undefined
}

/** Starts a mock server for the contract in a file, and prints its address. */
export async function startMock(file: string, { port, host = 'localhost', seed }: MockArguments): Promise<void> {
  const portNumber = numberOf('port', port, 4010)
  if (portNumber > 65_535) throw new UsageError(`--port is a port, at most 65535, not ${port}.`)
  const server = await createMock(file, { seed: numberOf('seed', seed, 1) }, (warning) => console.error(warning))
  closeOnSignals(server)
  const address = await server.listen({ port: portNumber, host })
  console.log(`${file} is answered at ${address}`)
}

function numberOf(name: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} is a whole number, not ${text}.`)
  return Number(text)
}

/**
 * Creates a mock server for the contract in a file.
 * @param seed a number that decides which values are generated
 * @param warn a function that is called with a text if the mock has no prefix although a server has a path, and for each invalid example
 */
export async function createMock(file: string, { seed }: { readonly seed: number }, warn: (text: string) => void): Promise<Server> {
  const { contract, plan } = await planFile(file)
  for (const { pointer, reason } of plan.notes) if (pointer === serversPointer) warn(`${pointer}: ${reason}`)
  const values = await Values.create(contract.schemas, seed)
  for (const text of invalidExamples(contract, values)) warn(text)
  const { App, options } = makeApplication(forMock(plan), (action) => handlerOf(action, values))
  class Mock {}
  Plugin({
    imports: [App],
    hooks: { onRequest: allowOrigins(contract) },
    contentTypeParsers: [{ type: '*', parseAs: 'buffer', parse: async (_request: Request, body: Buffer) => body }],
    notFoundHandler: nameNearest(plan),
  })(Mock)
  return bootstrap(Mock, options satisfies ServerOptions)
}

/**
 * Returns a plan for the mock server. Reply schemas are removed, because replies are sent unchanged, and so are schemas of bodies for which
 * the application would need a body parser.
 */
function forMock(plan: PlannedApplication): PlannedApplication {
  const withoutSchemas = (action: PlannedAction): PlannedAction => {
    const { response: _response, body, ...schema } = action.schema
    const { content } = isObject(body) ? body : {}
    if (!isObject(content)) return { ...action, schema: { ...schema, ...(body !== undefined && { body: body as unknown }) } }
    const entries = Object.entries(content).map(([type, media]) => [type, isJson(type) || type === 'text/plain' ? media : { schema: true }])
    return { ...action, schema: { ...schema, body: { content: Object.fromEntries(entries) as unknown } } }
  }
  return { ...plan, groups: plan.groups.map((group) => ({ ...group, actions: group.actions.map(withoutSchemas) })) }
}

function handlerOf({ operation }: PlannedAction, values: Values): RouteHandler {
  return ({ headers }: Request, reply: Reply) => {
    const { status, fields, type, payload } = makeReply(operation, headers, values)
    reply.code(status).headers(fields)
    return type === undefined ? reply.send() : reply.type(type).send(payload)
  }
}

function makeReply(...request: Parameters<typeof replyOf>): MockReply {
  try {
    return replyOf(...request)
  } catch (error) {
    return failedReply(error as Error)
  }
}

/**
 * Returns an onRequest hook that allows requests from pages of every origin (CORS), because a page in development has another origin than
 * the mock server.
 */
function allowOrigins({ operations }: Contract): (request: Request, reply: Reply) => Promise<unknown> {
  const exposed = [
    ...new Set(operations.flatMap(({ responses }) => Object.values(responses).flatMap(({ headers }) => Object.keys(headers)))),
  ]
  return async ({ method, headers }, reply) => {
    const { origin } = headers
    if (origin === undefined) return undefined
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: 'origin' })
    const asked = headers['access-control-request-method']
    if (method !== 'OPTIONS' || asked === undefined) {
      reply.header('access-control-expose-headers', [...exposed, 'preference-applied'].join(', '))
      return undefined
    }
    return reply
      .headers({
        'access-control-allow-methods': asked,
        'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
        'access-control-max-age': '600',
      })
      .code(204)
      .send()
  }
}

/** Returns a not-found handler whose message names the three operations with the method and path most similar to the request. */
function nameNearest({ groups, prefix = '' }: PlannedApplication): RouteHandler {
  const known = groups.flatMap(({ actions }) => actions.map(({ method, operation }) => `${method} ${prefix}${operation.path}`))
  return ({ method, url }: Request, reply: Reply) => {
    const asked = `${method} ${url.replace(/\?.*/, '')}`
    const rest = [...known]
    const nearest = Array.from({ length: 3 }, () => {
      const name = nearestName(asked, rest, Infinity)
      if (name !== undefined) rest.splice(rest.indexOf(name), 1)
      return name
    }).filter((name) => name !== undefined)
    const message = `The contract has no ${asked}. Nearest: ${nearest.join(', ')}.`
    return reply.code(404).send({ statusCode: 404, error: 'Not Found', message })
  }
}

function invalidExamples({ operations }: Contract, values: Values): string[] {
  return operations.flatMap(({ pointer, responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) =>
      Object.entries(content).flatMap(([type, media]) => {
        const example = isJson(type) ? values.exampleOf(media) : undefined
        const problem = example && values.problemOf(media.schema, example.value)
        return problem === undefined ? [] : [`${pointer}/responses/${status}: the example of ${type} is not valid: ${problem}.`]
      }),
    ),
  )
}
