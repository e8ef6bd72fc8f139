/**
 * The server with Hono as its page on RPC teaches (https://hono.dev/docs/guides/rpc): validators of Zod, handlers that are chained, an app
 * for each resource, all of them in `app.route`. And files that call it: by `hc<typeof app>`, and in the two ways that the page recommends
 * against slow editors, with a client for each app and with types that were compiled before.
 */
import { example, sampleSource } from './model.mjs'

function zodOf(schema) {
  if (schema.enum) return `z.enum(${JSON.stringify(schema.enum)})`
  if (schema.type === 'array') return `z.array(${zodOf(schema.items)})`
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties).map(
      ([name, property]) => `${name}: ${zodOf(property)}${schema.required.includes(name) ? '' : '.optional()'}`,
    )
    return `z.object({ ${members.join(', ')} })`
  }
  return schema.type === 'integer' ? 'z.number().int()' : `z.${schema.type}()`
}

/** The files of the server. */
export function honoServer(controllers) {
  const files = controllers.map((controller) => [`server/${controller.name}.ts`, controllerSource(controller)])
  const imports = controllers.map(({ name }) => `import { ${name} } from './${name}.js'`)
  const routes = controllers.map(({ name }) => `.route('/${name}', ${name})`)
  const app = `import { Hono } from 'hono'\n${imports.join('\n')}\n\nexport const app = new Hono()\n  ${routes.join('\n  ')}\n`
  return Object.fromEntries([...files, ['server/app.ts', app]])
}

function controllerSource(controller) {
  const { name, index, routes } = controller
  const handlers = routes.map(
    ({ method, path, params, query, body }) => `  .${method}(
    '${path}',
    zValidator('param', ${zodOf(params)}),
    zValidator('query', ${zodOf(query)}),
    zValidator('json', ${zodOf(body)}),
    (c) => {
      const { id } = c.req.valid('param')
      if (id === '') return c.json(problem, 404)
      return c.json(sample(id, c.req.valid('json').title), 200)
    },
  )`,
  )
  return `import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { z } from 'zod'

${sampleSource(controller)}
const problem: { reason: 'missing' | 'forbidden'; detail: string; trace${index}?: string } = { reason: 'missing', detail: 'a' }

export const ${name} = new Hono()
${handlers.join('\n')}
`
}

function callSource({ name, index, routes }, action, users) {
  const { method } = routes.find((route) => route.action === action)
  const call = `${users}[':id'].${action}./*members*/$${method}/*hover*/({ param: ${example.params}, query: ${example.query}, json: ${example.body} })`
  return `export async function ${action}${index}(): Promise<string> {
  const reply = await ${call}
  if (reply.status === 200) {
    const body = await reply.json()
    return body./*body*/name + body.code${index}
  }
  // @ts-expect-error no reply has this
  return (await reply.json()).reason + (await reply.json()).${name}
}
`
}

/** A file that calls some of the controllers by one client of the whole app. */
export function appCalls(controllers, action) {
  const calls = controllers.map((controller) => callSource(controller, action, `api.${controller.name}`))
  return `import { hc } from 'hono/client'
import type { app } from './server/app.js'

const api = hc<typeof app>('http://localhost')
${calls.join('\n')}`
}

/** A file that calls them by a client for each. */
export function splitCalls(controllers, action) {
  const clients = controllers.map(({ name }) => [
    `import type { ${name} as ${name}App } from './server/${name}.js'`,
    `const ${name} = hc<typeof ${name}App>('http://localhost/${name}')`,
  ])
  return `import { hc } from 'hono/client'
${clients.map(([text]) => text).join('\n')}

${clients.map(([, text]) => text).join('\n')}
${controllers.map((controller) => callSource(controller, action, controller.name)).join('\n')}`
}

/**
 * The modules that are compiled before they are used, as the page has them, but one for each app: the type of a client of a thousand routes is
 * longer than declarations may be (TS7056).
 */
export function compiledClients(controllers) {
  const sourceOf = ({ name }) => `import { hc } from 'hono/client'
import { ${name} } from '../server/${name}.js'

const client = hc<typeof ${name}>('')
export type Client = typeof client

export const hcWithType = (...args: Parameters<typeof hc>): Client => hc<typeof ${name}>(...args)
`
  return Object.fromEntries(controllers.map((controller) => [`clients/${controller.name}.ts`, sourceOf(controller)]))
}

/** A file that calls them by these types. */
export function compiledCalls(controllers, action) {
  const clients = controllers.map(({ name }) => [
    `import { hcWithType as ${name}Client } from './compiled/clients/${name}.js'`,
    `const ${name} = ${name}Client('http://localhost/${name}')`,
  ])
  return `${clients.map(([text]) => text).join('\n')}

${clients.map(([, text]) => text).join('\n')}
${controllers.map((controller) => callSource(controller, action, controller.name)).join('\n')}`
}
