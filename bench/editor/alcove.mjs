/** The server with alcove, and a file that calls it by the file that `alcove client` writes. */
import { example, sampleSource } from './model.mjs'

/** The files of the server. */
export function alcoveServer(controllers) {
  const files = controllers.map((controller) => [`server/${controller.name}.ts`, controllerSource(controller)])
  const imports = controllers.map(({ name, Class }) => `import { ${Class}Controller } from './${name}.js'`)
  const list = controllers.map(({ Class }) => `${Class}Controller`).join(', ')
  const app = `import { Plugin } from 'alcove'\n${imports.join('\n')}\n\n@Plugin({ routes: [${list}] })\nexport class App {}\n`
  return Object.fromEntries([...files, ['server/app.ts', app]])
}

function controllerSource(controller) {
  const { name, Class, resource, problem, routes } = controller
  const schemas = routes.map(
    ({ action, params, query, body }) => `const ${action}Schema = {
  params: ${JSON.stringify(params)},
  querystring: ${JSON.stringify(query)},
  body: ${JSON.stringify(body)},
  response: { 200: resource, 404: problem },
} as const`,
  )
  const methods = routes.map(
    ({ action, method, path }) => `  @${method[0].toUpperCase()}${method.slice(1)}('${path}')
  @Schema(${action}Schema)
  ${action}({ params, body }: RouteRequest<typeof ${action}Schema>) {
    return sample(params.id, body.title)
  }`,
  )
  return `import { Controller, Patch, Post, Put, type RouteRequest, Schema } from 'alcove'

const resource = ${JSON.stringify(resource)} as const
const problem = ${JSON.stringify(problem)} as const
${schemas.join('\n')}

${sampleSource(controller)}
@Controller('/${name}')
export class ${Class}Controller {
${methods.join('\n\n')}
}
`
}

function callSource({ name, Class, index }, action, users) {
  const { params, query, body } = example
  return `export async function ${action}${index}(): Promise<string> {
  const reply = await ${users}./*members*/${action}/*hover*/({ params: ${params}, query: ${query}, body: ${body} })
  if (reply.status === 200) return reply.body./*body*/name
  // @ts-expect-error no reply has this
  if (reply.status === 404) return reply.body.reason + reply.body.${name}
  return ${Class.toLowerCase()}Name(await ${users}.${action}({ params: ${params}, query: ${query}, body: ${body} }).expect/*expect*/(200))
}
const ${Class.toLowerCase()}Name = (given: { readonly name: string; readonly code${index}: string }): string => given.name + given.code${index}
`
}

/** A file that calls some of the controllers by the file that `alcove client --out` has written. */
export function fileCalls(controllers, action) {
  const calls = controllers.map((controller) => callSource(controller, action, `api.${controller.name}`))
  return `import { createClient } from './client.js'

const api = createClient({ baseUrl: 'http://localhost' })
${calls.join('\n')}`
}
