/**
 * The server with Elysia, and files that call it: by `treaty<typeof app>`, and as its page recommends against slow editors
 * (https://elysiajs.com/patterns/typescript#eden), by the types of parts of the app.
 */
import { example, sampleSource } from './model.mjs'

function typeboxOf(schema) {
  if (schema.enum) return `t.Union([${schema.enum.map((value) => `t.Literal('${value}')`).join(', ')}])`
  if (schema.type === 'array') return `t.Array(${typeboxOf(schema.items)})`
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties).map(
      ([name, property]) => `${name}: ${schema.required.includes(name) ? typeboxOf(property) : `t.Optional(${typeboxOf(property)})`}`,
    )
    return `t.Object({ ${members.join(', ')} })`
  }
  return `t.${schema.type[0].toUpperCase()}${schema.type.slice(1)}()`
}

/** The files of the server. */
export function elysiaServer(controllers) {
  const files = controllers.map((controller) => [`server/${controller.name}.ts`, controllerSource(controller)])
  const imports = controllers.map(({ name }) => `import { ${name} } from './${name}.js'`)
  // A list, as on that page: a chain of a hundred `.use` is too deep for the compiler (TS2589).
  const list = controllers.map(({ name }) => name).join(', ')
  const app = `import { Elysia } from 'elysia'\n${imports.join('\n')}\n\nexport const app = new Elysia().use([${list}])\n`
  return Object.fromEntries([...files, ['server/app.ts', app]])
}

function controllerSource(controller) {
  const { name, resource, problem, routes } = controller
  const handlers = routes.map(
    ({ method, path, params, query, body }) => `  .${method}(
    '${path}',
    ({ params, body, status }) => {
      if (params.id === '') return status(404, { reason: 'missing', detail: 'a' })
      return { ...sample(params.id, body.title), tags: [] }
    },
    {
      params: ${typeboxOf(params)},
      query: ${typeboxOf(query)},
      body: ${typeboxOf(body)},
      response: { 200: resource, 404: problem },
    },
  )`,
  )
  return `import { Elysia, t } from 'elysia'

const resource = ${typeboxOf(resource)}
const problem = ${typeboxOf(problem)}

${sampleSource(controller)}
export const ${name} = new Elysia({ prefix: '/${name}' })
${handlers.join('\n')}
`
}

function callSource({ name, index, routes }, action, users) {
  const { method } = routes.find((route) => route.action === action)
  const call = `${users}.${name}(${example.params}).${action}./*members*/${method}/*hover*/(${example.body}, { query: ${example.query} })`
  return `export async function ${action}${index}(): Promise<string> {
  const { data, error } = await ${call}
  if (error === null) return data./*body*/name + data.code${index}
  // @ts-expect-error no reply has this
  if (error.status === 404) return error.value.reason + error.value.${name}
  return ''
}
`
}

/** A file that calls some of the controllers by one client of the whole app. */
export function appCalls(controllers, action) {
  return `import { treaty } from '@elysiajs/eden'
import type { app } from './server/app.js'

const api = treaty<typeof app>('localhost')
${controllers.map((controller) => callSource(controller, action, 'api')).join('\n')}`
}

/** A file that calls them by a client for each. */
export function splitCalls(controllers, action) {
  const clients = controllers.map(({ name }) => [
    `import type { ${name} as ${name}App } from './server/${name}.js'`,
    `const ${name}Api = treaty<typeof ${name}App>('localhost')`,
  ])
  return `import { treaty } from '@elysiajs/eden'
${clients.map(([text]) => text).join('\n')}

${clients.map(([, text]) => text).join('\n')}
${controllers.map((controller) => callSource(controller, action, `${controller.name}Api`)).join('\n')}`
}
