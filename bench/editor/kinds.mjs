/** The clients that are compared: each is a directory with the sources of a server, and a file `use.ts` that calls it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { link } from '../prepare.mjs'
import { alcoveServer, fileCalls } from './alcove.mjs'
import * as eden from './eden.mjs'
import * as hono from './hono.mjs'
import { controllers } from './model.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const project = join(here, '../..')

/** The compilers, and how each is started. */
export const compilers = {
  7: join(here, 'node_modules/typescript/bin/tsc'),
  5: join(here, 'node_modules/typescript-5/bin/tsc'),
}

/** Of a new application (templates/app/tsconfig.json), for all alike. */
const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2023', 'ESNext.Disposable'],
  types: ['node'],
  module: 'NodeNext',
  strict: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  rootDir: '.',
  outDir: 'js',
}

/**
 * `server`: its sources. `write`: what a command writes of them, which is all that `use.ts` sees of the server if `isAlone` is set; returns
 * the arguments of that command. `reachesAll`: whether `use.ts` imports the type of the whole application.
 */
export const kinds = {
  file: {
    title: 'alcove, the file of `alcove client`',
    server: alcoveServer,
    use: fileCalls,
    write: alcoveClient,
    isAlone: true,
  },
  hono: { title: 'Hono, `hc<typeof app>`', server: hono.honoServer, use: hono.appCalls, reachesAll: true },
  honoSplit: { title: 'Hono, a client for each app', server: hono.honoServer, use: hono.splitCalls },
  honoCompiled: {
    title: 'Hono, a compiled client for each app',
    server: (list) => ({ ...hono.honoServer(list), ...hono.compiledClients(list) }),
    use: hono.compiledCalls,
    write: (directory) => [compilers[7], '-p', join(directory, 'compile.json')],
    isAlone: true,
  },
  eden: { title: 'Eden, `treaty<typeof app>`', server: eden.elysiaServer, use: eden.appCalls, reachesAll: true },
  edenSplit: { title: 'Eden, a client for each part', server: eden.elysiaServer, use: eden.splitCalls },
}

function alcoveClient(directory) {
  execFileSync(process.execPath, [compilers[7], '-p', join(directory, 'compile.json')], { stdio: 'inherit' })
  return [join(project, 'dist/esm/cli.js'), 'client', join(directory, 'js/server/app.js'), '--out', join(directory, 'client.ts')]
}

/** The route whose calls `use.ts` has. */
export const ACTION = 'update'

/** Writes the directory of a kind, for so many controllers; `use.ts` calls three of them. */
export function writeKind(name, count) {
  const kind = kinds[name]
  const directory = join(here, 'dist', name)
  rmSync(directory, { recursive: true, force: true })
  link(here, project)
  const all = controllers(count)
  const used = [0.1, 0.5, 0.9].map((part) => all[Math.floor(count * part)])
  const sourceOf = kind.use(used, ACTION)
  const include = kind.isAlone ? ['use.ts'] : ['*.ts', 'server']
  const compile = name === 'honoCompiled' ? { declaration: true, emitDeclarationOnly: true, outDir: 'compiled' } : { noCheck: true }
  const files = {
    ...kind.server(all),
    'use.ts': sourceOf.replaceAll(/\/\*\w+\*\//g, ''),
    'package.json': '{ "type": "module" }',
    // The whole monorepo, and nothing but what the file reaches.
    'tsconfig.json': JSON.stringify({ compilerOptions: { ...compilerOptions, noEmit: true }, include }),
    'one.json': JSON.stringify({ compilerOptions: { ...compilerOptions, noEmit: true }, files: ['use.ts'] }),
    'compile.json': JSON.stringify({
      compilerOptions: { ...compilerOptions, ...compile },
      include: [name === 'honoCompiled' ? 'clients' : 'server'],
    }),
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const reachesAll = kind.isAlone === true || kind.reachesAll === true
  return { directory, text: files['use.ts'], places: placesOf(sourceOf), reachesAll }
}

/** Where the marks of a text stand in it without them: as offsets, of each the last. */
function placesOf(marked) {
  const places = {}
  let text = ''
  for (const [at, part] of marked.split(/\/\*(\w+)\*\//).entries()) {
    if (at % 2 === 0) text += part
    else places[part] = text.length
  }
  return places
}
