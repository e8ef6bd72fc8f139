// How much work the types of 500 routes are for the compiler: at most 1,500 instantiations a route, above an application of one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const BUDGET = 1500
const ROUTES = 500
const root = fileURLToPath(new URL('../../', import.meta.url))
const directory = `${root}tests/types/.budget`

/** The source of an application with so many routes, each with schemas, a request decorator and a checked handler. */
function application(count) {
  const route = (index) => `
const s${index} = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, kind${index}: { enum: ['a', 'b'] } } },
  querystring: { q: { type: 'string' }, page: { type: 'integer', default: 1 } },
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } }, p${index}: { type: 'object', properties: { x: { type: 'number' } } } } },
  response: { 200: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string', nullable: true } } }, 404: { type: 'object', properties: { reason: { type: 'string' } } } },
} as const
@Route({ method: 'POST', path: '/r${index}/:id' })
@Schema(s${index})
class R${index} {
  handle({ params, body, answer }: RouteRequest<typeof s${index}, [typeof Answer]>) {
    return { id: params.id + answer, name: body.name }
  }
}`
  const names = Array.from({ length: count }, (_, index) => index)
  return `import { Plugin, requestDecorator, Route, type RouteRequest, Schema } from 'alcove'
const Answer = requestDecorator('answer', 42)
${names.map(route).join('\n')}
@Plugin({ decorateRequest: [Answer], routes: [${names.map((index) => `R${index}`).join(', ')}] })
export class App {}
`
}

function instantiations(count) {
  writeFileSync(`${directory}/app.ts`, application(count))
  const output = execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', directory, '--extendedDiagnostics'], {
    encoding: 'utf8',
  })
  const value = (name) => Number(new RegExp(`${name}:\\s+([\\d.]+)`).exec(output)?.[1])
  return { count: value('Instantiations'), seconds: value('Total time') }
}

mkdirSync(directory, { recursive: true })
try {
  writeFileSync(
    `${directory}/tsconfig.json`,
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions: { noEmit: true, noUnusedLocals: false }, include: ['./app.ts'] }),
  )
  const none = instantiations(1)
  const all = instantiations(ROUTES)
  const each = Math.round((all.count - none.count) / (ROUTES - 1))
  console.log(
    `type budget: ${each} instantiations a route at ${ROUTES} routes (at most ${BUDGET}); tsc ${none.seconds} s for one, ${all.seconds} s for all`,
  )
  assert.ok(each > 0 && each <= BUDGET)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
