// How much work the types of 500 routes, of 500 models and of 500 classes that list the fields of their schema are for the compiler: so many
// instantiations each, above an application of one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Of a model, some 150 are the values of its constructor, which may leave out what has a default.
const BUDGET = { route: 1500, 'class with @Schema': 3000, model: 1600 }
const COUNT = 500
const root = fileURLToPath(new URL('../../', import.meta.url))
const directory = `${root}tests/types/.budget`

/** The source of an application with so many routes, each with schemas, a request decorator and a checked handler. */
function routes(count) {
  const route = (index) => `
const s${index} = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, kind${index}: { enum: ['a', 'b'] } } },
  querystring: { q: { type: 'string' }, page: { type: 'integer', default: 1 } },
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } }, p${index}: { type: 'object', properties: { x: { type: 'number' } } } } },
  response: { 200: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string', nullable: true } } }, 404: { type: 'object', properties: { reason: { type: 'string' } } } },
} as const
@Route({ method: 'POST', path: '/r${index}/:id' }, s${index})
class R${index} {
  handle({ params, body, answer }: RouteRequest<typeof s${index}, [typeof Answer]>) {
    return { id: params.id + answer, name: body.name }
  }
}`
  const names = Array.from({ length: count }, (_, index) => index)
  return `import { Plugin, requestDecorator, Route, type RouteRequest } from 'alcove'
const Answer = requestDecorator('answer', 42)
${names.map(route).join('\n')}
@Plugin({ decorateRequest: [Answer], routes: [${names.map((index) => `R${index}`).join(', ')}] })
export class App {}
`
}

/** So many classes with a shared schema, whose fields are checked against it. */
function listed(count) {
  const model = (index) => `
@Schema({ $id: 'M${index}', type: 'object', required: ['id', 'at', 'tags'], properties: {
  id: { type: 'integer' }, at: { type: 'string', format: 'date-time' }, tags: { type: 'array', items: { type: 'string' } },
  kind${index}: { enum: ['a', 'b'] }, page: { type: 'integer', default: 1 }, p${index}: { type: 'object', properties: { x: { type: 'number' } } },
} })
export class M${index} {
  id!: number
  at!: Date
  tags!: string[]
  kind${index}?: 'a' | 'b'
  page!: number
  p${index}?: { x?: number }
}`
  return `import { Schema } from 'alcove'\n${Array.from({ length: count }, (_, index) => model(index)).join('')}`
}

/** So many models, each with a reference to itself and to another model. */
function models(count) {
  const model = (index) => `
class M${index} extends Model({ $id: 'M${index}', type: 'object', required: ['id', 'at', 'tags'], properties: {
  id: { type: 'integer' }, at: { type: 'string', format: 'date-time' }, tags: { type: 'array', items: { type: 'string' } },
  kind${index}: { enum: ['a', 'b'] }, page: { type: 'integer', default: 1 }, p${index}: { type: 'object', properties: { x: { type: 'number' } } },
  common: ref(Common), self: ref((): Class<M${index}> => M${index}),
} }) {}
export const at${index}: string = new M${index}({ id: 1, at: '', tags: [], page: 1 }).at`
  return `import { type Class, Model, ref } from 'alcove'
class Common extends Model({ $id: 'Common', type: 'object', properties: { name: { type: 'string' } } }) {}
${Array.from({ length: count }, (_, index) => model(index)).join('')}`
}

function instantiations(source) {
  writeFileSync(`${directory}/app.ts`, source)
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
  for (const [name, sourceOf] of Object.entries({ route: routes, 'class with @Schema': listed, model: models })) {
    const one = instantiations(sourceOf(1))
    const all = instantiations(sourceOf(COUNT))
    const each = Math.round((all.count - one.count) / (COUNT - 1))
    const times = `tsc ${one.seconds} s for one, ${all.seconds} s for all`
    console.log(`type budget: ${each} instantiations a ${name} at ${COUNT} (at most ${BUDGET[name]}); ${times}`)
    assert.ok(each > 0 && each <= BUDGET[name])
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
