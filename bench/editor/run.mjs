/**
 * What the types of clients cost a compiler and an editor: 1,000 routes in 100 controllers, for each kind of client in `kinds.mjs`. Each
 * measurement has a process of its own, the kinds in turn. Records the results and writes the pages that have them.
 */
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { conditionsOf, describeConditions } from '../report/conditions.mjs'
import { editorTables } from '../report/editor.mjs'
import { record } from '../report/pages.mjs'
import { spreadOf } from '../stats.mjs'
import { compilers, kinds, writeKind } from './kinds.mjs'
import { measureCompiler, measureEditor, readHovers, run } from './measure.mjs'

const usage = `npm run bench:editor -- [options]
  --only file,hono   of ${Object.keys(kinds).join(', ')}
  --quick             10 controllers and one run
  --hovers            prints what an editor shows for a call and its reply, and measures nothing
  --write             records the results although --only or --quick is given`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    hovers: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const names = values.only?.split(',') ?? Object.keys(kinds)
const unknown = names.filter((name) => !(name in kinds))
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}; there are ${Object.keys(kinds).join(', ')}.`)

const COUNT = values.quick ? 10 : 100
const RUNS = values.quick ? 1 : 2
const EDITS = 12

const versionOf = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version
const versions = Object.fromEntries(
  ['typescript', 'typescript-5', 'hono', '@hono/zod-validator', 'zod', 'elysia', '@elysiajs/eden'].map((name) => [name, versionOf(name)]),
)

async function prepareKind(name) {
  const kind = writeKind(name, COUNT)
  const command = kinds[name].write?.(kind.directory)
  return { ...kind, written: command && (await run(command)) }
}

/**
 * All measurements of one run. The types of a whole application take minutes: they are measured in the first run only, and of the
 * questions of an editor only the diagnostics and the first completion are asked of a new server.
 */
async function measureRun(compiler, name, kind, index) {
  if (kinds[name].reachesAll && index > 0) return undefined
  const first = kinds[name].reachesAll ? ['diagnostics', 'members'] : ['diagnostics', 'members', 'body', 'hover']
  console.error(`  run ${index + 1}: ${name}, TypeScript ${compiler}, load ${loadavg()[0].toFixed(1)}`)
  try {
    return { tsc: await measureCompiler(compiler, kind), editor: await measureEditor(compiler, kind, first, EDITS) }
  } catch (error) {
    console.error(error)
    return { failure: error.message.slice(0, 200) }
  }
}

const spread = (list) => (list.length === 0 ? undefined : spreadOf(list))

/** The runs of a kind as one result; of each figure the median, the lowest and the highest. */
function summarize(runs) {
  const done = runs.filter(({ tsc }) => tsc !== undefined)
  if (done.length === 0) return { failure: runs[0].failure }
  const costs = (key) => {
    const list = done.map(({ tsc }) => tsc[key] ?? tsc.one)
    const part = (name) => spread(list.map((each) => each[name]))
    return { wall: part('wall'), cpu: part('cpu'), memory: part('memory'), instantiations: list[0].instantiations }
  }
  const servers = done.flatMap(({ editor }) => Object.values(editor))
  const first = (name) => done.flatMap(({ editor }) => editor[name] ?? [])
  const question = (name) => ({
    cold: spread(first(name).map(({ cold }) => cold)),
    edited: spread(servers.flatMap(({ edited }) => edited[name] ?? [])),
  })
  return {
    runs: done.length,
    tsc: { one: costs('one'), all: costs('all') },
    load: spread(servers.map(({ loaded }) => loaded)),
    first: spread(first('diagnostics').map(({ loaded, cold }) => loaded + cold)),
    firstCpu: spread(first('diagnostics').map(({ cpu }) => cpu)),
    memory: spread(first('diagnostics').map(({ memory }) => memory)),
    questions: Object.fromEntries(['diagnostics', 'members', 'body', 'hover'].map((name) => [name, question(name)])),
  }
}

/** After each run, `save` gets the results of all runs so far: a later one that fails takes nothing with it. */
async function measure(save) {
  const loads = [loadavg()[0]]
  const prepared = {}
  for (const name of names) prepared[name] = await prepareKind(name)
  const found = Object.fromEntries(names.map((name) => [name, Object.fromEntries(Object.keys(compilers).map((each) => [each, []]))]))
  // Those that take longest at last.
  const order = names.toSorted((a, b) => Number(kinds[a].reachesAll ?? false) - Number(kinds[b].reachesAll ?? false))
  for (let index = 0; index < RUNS; index++) {
    for (const name of order)
      for (const compiler of Object.keys(compilers)) {
        const result = await measureRun(compiler, name, prepared[name], index)
        if (result !== undefined) found[name][compiler].push(result)
        loads.push(loadavg()[0])
      }
    save({
      conditions: conditionsOf(values.quick, versions),
      controllers: COUNT,
      machineLoad: spreadOf(loads),
      kinds: Object.fromEntries(names.map((name) => [name, resultOf(prepared[name], found[name])])),
    })
  }
}

function resultOf({ written }, byCompiler) {
  const results = Object.entries(byCompiler).map(([compiler, runs]) => [compiler, summarize(runs)])
  return { ...(written && { written: { wall: written.wall, cpu: written.cpu } }), compilers: Object.fromEntries(results) }
}

async function printHovers() {
  for (const name of names) {
    const kind = await prepareKind(name)
    for (const compiler of Object.keys(compilers))
      for (const [place, text] of Object.entries(await readHovers(compiler, kind)))
        console.log(`\n## ${name}, TypeScript ${compiler}: ${place}\n\n${text}`)
  }
}

if (values.help) console.log(usage)
else if (values.hovers) await printHovers()
else
  await measure((editor) => {
    console.log(`${describeConditions(editor.conditions)}\n\n${editorTables(editor)}`)
    if (values.write || (!values.quick && values.only === undefined)) record({ editor })
  })
