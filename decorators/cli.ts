#!/usr/bin/env node
/** The command `alcove` with its subcommands `new`, `check`, `errors`, `explain`, `build`, `openapi`, `client`, `lock`, `diff`, `probe` and `mock`. */
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BuildRecording } from '../lib/index.js'
import { loadApplication, loadOptions } from './commands/application.js'
import { checkApplication, reportCheck, reportOfEnd, reportOfMisuse, textOfEnd } from './commands/check.js'
import { writeClient } from './commands/client.js'
import { type DiffArguments, printDiff, reportDiff } from './commands/diff.js'
import { exitCodes } from './commands/diff/report.js'
import { printErrors } from './commands/errors.js'
import { createFromContract } from './commands/new-from.js'
import { loadEnvironment } from './commands/environment.js'
import { runForDocument, sendDocument, takesDocument } from './commands/json/process.js'
import { writeLockFile } from './commands/lock.js'
import { startMock } from './commands/mock.js'
import { UsageError } from './commands/modules.js'
import { readExplanation } from './commands/files/explanation-file.js'
import { writeOutput } from './commands/files/write-output.js'
import { createApp, ownVersion } from './commands/new-app.js'
import { writeOpenApi } from './commands/openapi.js'
import { probeApplication } from './commands/probe.js'
import type { Class } from './declare/metadata.js'
import type { BootstrapOptions } from './run/bootstrap-options.js'
import { bootstrap } from './run/bootstrap.js'
import { explain, type Explanation } from './tools/explain.js'
import type { RouteExplanation } from './tools/explanation.js'
import { WiringError } from './wiring/faults.js'

const usage = `alcove new <dir>                     a small app with a test
    --api                            an API to start a company with: login, a database, tests, a container
    --plain                          a small app that Node runs without a compiler: node src/main.ts
    --from <file>                    the operations of an OpenAPI document (3.0 or 3.1), whose handlers are left to write
alcove check <file>                  checks the wiring of the application that a compiled module exports
    --json                           prints the faults as JSON, with place, cure and file of each
    --contract                       prints what its OpenAPI document could say better
    --env <file>                     checks a file of environment variables against its classes of environment(…)
alcove errors <code…>                explains codes of errors and faults: what happened, and what to write instead
alcove explain <file> [route]        boots it and prints its contexts, or what one route sees ("GET /users/:id")
    --json                           prints JSON
    --html <page>                    writes an HTML page
    --compare <file>                 shows on the page what changed since this output of --json
    --env <file>                     for explain, build, openapi, client, lock, diff and probe: a file of variables that the environment lacks
alcove build <file>                  compiles its validators, serializers and routes ahead of time
    --out <dir>                      the folder to write to; default: alcove.build beside the file
alcove openapi <file>                prints its OpenAPI document, without starting it
    --out <file>                     writes it to a file: .json or .yaml
    --version <3.1 or 3.2>           the version of OpenAPI; default: 3.1
    --check <file>                   compares it with a file: exits 1 and prints the differences if there are any
alcove client <file>                 prints a typed client of it, without starting it
    --out <file>                     writes it to a TypeScript file
    --dates                          reads texts of the format date-time as Date
    --tanstack                       adds the options of TanStack Query for each route
    --msw                            adds handlers of MSW for each route
    --check                          compares the file instead of writing it: exits 1 if they differ
alcove lock <file>                   writes alcove.lock, its routes with their hooks and its providers, without starting it
    --out <file>                     the file to write to; default: alcove.lock
    --check                          compares the file instead of writing it: exits 1 and says what changed if anything did
alcove probe <file>                  sends requests made from its schemas to it, without a port: exits 1 and prints a test of each fault
    --requests <number>              the number of requests to each route; default: 200
    --seed <number>                  makes other requests; default: 1
    --route <pattern>                only these routes, /admin/** or "POST /notes"; may be repeated
    --header <header>                a header by which requests pass the guards, "authorization: Bearer …"; may be repeated
    --slower <ms>                    finds replies that take longer
    --timeout <ms>                   the time after which a request counts as hanging; default: 2000
    --probe <name>                   the exported options of the probe, such as override and authenticate; default: probe, if it exists
    --document <name>                for openapi, check and diff: the exported options of the document; default: document, if it exists
    --options <name>                 for explain, build, openapi, client, lock, diff, probe and check --contract: the exported options for bootstrap; default: options, if it exists
    --export <name>                  the exported plugin class; default: default, App, or the only one
alcove diff <old> [<new>]            says whether the new state still serves the clients of the old one: OpenAPI documents or applications
    --json                           prints JSON
    --markdown                       prints Markdown, for a pull request
    --strict                         treats members that no schema names as possible
    --seed <number>                  generates other values in the search for examples; default: 1
alcove mock <file>                   answers the requests of an OpenAPI document with its examples, and with generated values
    --port <number>                  the port to listen at; default: 4010
    --host <name>                    the host to listen at; default: localhost
    --seed <number>                  generates other values; default: 1
alcove --version                     prints the version`

/** The options of each command. The options `help` and `version` belong to `alcove` itself. */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  new: ['api', 'from', 'plain'],
  check: ['contract', 'document', 'env', 'export', 'json', 'options'],
  errors: [],
  explain: ['compare', 'env', 'export', 'html', 'json', 'options'],
  build: ['env', 'export', 'options', 'out'],
  openapi: ['check', 'document', 'env', 'export', 'options', 'out', 'version'],
  diff: ['document', 'env', 'export', 'json', 'markdown', 'options', 'seed', 'strict'],
  mock: ['host', 'port', 'seed'],
  lock: ['check', 'env', 'export', 'options', 'out'],
  probe: ['env', 'export', 'header', 'options', 'probe', 'requests', 'route', 'seed', 'slower', 'timeout'],
  client: ['check', 'dates', 'env', 'export', 'msw', 'options', 'out', 'tanstack'],
}

const flags = {
  api: { type: 'boolean' },
  contract: { type: 'boolean' },
  check: { type: 'boolean' },
  compare: { type: 'string' },
  dates: { type: 'boolean' },
  tanstack: { type: 'boolean' },
  msw: { type: 'boolean' },
  document: { type: 'string' },
  env: { type: 'string' },
  header: { type: 'string', multiple: true },
  host: { type: 'string' },
  port: { type: 'string' },
  plain: { type: 'boolean' },
  probe: { type: 'string' },
  requests: { type: 'string' },
  route: { type: 'string', multiple: true },
  seed: { type: 'string' },
  slower: { type: 'string' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  markdown: { type: 'boolean' },
  strict: { type: 'boolean' },
  from: { type: 'string' },
  html: { type: 'string' },
  out: { type: 'string' },
  options: { type: 'string' },
  export: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** The command and its first argument, also if other arguments are wrong. Flags may precede them. */
const [givenCommand, givenTarget = ''] = parseArgs({ allowPositionals: true, strict: false, options: flags }).positionals

function readArguments() {
  const type = givenCommand === 'openapi' ? 'string' : 'boolean'
  return parseArgs({
    allowPositionals: true,
    options: {
      ...flags,
      // For the client and the lock, --out names the file to compare.
      check: { type },
      // For `openapi` it takes the version of the document; otherwise it prints the version of alcove.
      version: { type, short: 'v' },
    },
  })
}

/** Whether this process is the child process that makes a JSON document for its parent process to print. */
const isDocumentProcess = takesDocument()

/** The exit code of a command that has failed. For diff, 1 says that clients break. */
const failed = givenCommand === 'diff' ? 2 : 1

/** Whether the command is over. A process that ends before was ended by a module of the application. */
let isOver = false

async function main(): Promise<void> {
  const { positionals, values } = readArguments()
  const [command, target, route] = positionals
  if (values.version === true) return console.log(await ownVersion())
  if (values.help === true || command === undefined) return console.log(usage)
  const taken = Object.hasOwn(optionsOf, command) ? optionsOf[command]! : undefined
  if (taken === undefined) throw new UsageError(`There is no command '${command}'.\n\n${usage}`)
  if (target === undefined) throw new UsageError(usage)
  const surplus = [
    ...positionals.slice(command === 'errors' ? positionals.length : command === 'explain' || command === 'diff' ? 3 : 2),
    ...Object.keys(values).flatMap((name) => (taken.includes(name) ? [] : `--${name}`)),
  ]
  if (surplus.length > 0) throw new UsageError(`alcove ${command} does not take '${surplus.join("', '")}'.\n\n${usage}`)
  if (command === 'new') return createNew(target, values)
  if (command === 'mock') return startMock(target, values)
  if (command === 'errors') return printErrors(positionals.slice(1))
  if (values.json === true && !isDocumentProcess) return printDocument(command, target)
  if (command === 'check' && values.document !== undefined && values.contract !== true)
    throw new UsageError('--document of alcove check names the options of --contract. Write both.')
  if (command === 'check')
    return values.json === true ? endWithDocument(await reportCheck(target, values)) : checkApplication(target, values)
  // The variables are loaded before the application, whose modules may read the environment.
  if (values.env !== undefined) loadEnvironment(values.env)
  if (command === 'diff') return diff(target, route, values)
  const App = await loadApplication(target, values.export)
  if (command === 'openapi') {
    const options = { ...values, version: values.version as string | undefined, check: values.check as string | undefined }
    process.exitCode = (await writeOpenApi(target, App, options)) ? 0 : 1
    return
  }
  if (command === 'client') {
    process.exitCode = (await writeClient(target, App, { ...values, check: values.check as boolean | undefined })) ? 0 : 1
    return
  }
  if (command === 'lock') {
    process.exitCode = (await writeLockFile(target, App, { ...values, check: values.check as boolean | undefined })) ? 0 : 1
    return
  }
  if (command === 'probe') {
    process.exitCode = (await probeApplication(target, App, values)) ? 0 : 1
    return
  }
  if (command === 'build') {
    const directory = values.out ?? join(dirname(target), 'alcove.build')
    await build(App, await loadOptions(target, values.options), directory)
    return console.log(`${App.name} is built: import ${join(directory, 'index.mjs')} and pass it to bootstrap as the option prebuilt.`)
  }
  return explainApplication(App, await loadOptions(target, values.options), route, values)
}

function createNew(
  target: string,
  { api, from, plain }: { readonly [K in 'api' | 'plain']?: boolean | undefined } & { readonly from?: string | undefined },
): Promise<void> {
  if ([api === true, plain === true, from !== undefined].filter(Boolean).length > 1)
    throw new UsageError('alcove new takes one of --api, --plain and --from.')
  if (from !== undefined) return createFromContract(target, from)
  return createApp(target, api === true ? 'api' : plain === true ? 'plain' : 'app')
}

async function diff(
  old: string,
  other: string | undefined,
  values: DiffArguments & { readonly json?: boolean | undefined },
): Promise<void> {
  if (values.json !== true) {
    process.exitCode = await printDiff(old, other, values)
    return
  }
  const report = await reportDiff(old, other, values)
  await endWithDocument(report, exitCodes[report.answer])
}

async function explainApplication(
  App: Class,
  options: BootstrapOptions,
  route: string | undefined,
  { html, json, compare }: Readonly<Partial<Record<'html' | 'compare', string | undefined>>> & { readonly json?: boolean | undefined },
): Promise<void> {
  const old = compare === undefined ? undefined : await readExplanation(compare, html)
  const server = await bootstrap(App, options)
  let document: object | undefined
  try {
    const explanation = explain(server)
    const selected = route === undefined ? explanation : routeOf(explanation, route)
    if (html !== undefined) await writeOutput(html, explanation.toHTML(old))
    if (json === true) document = selected === explanation ? explanation : { version: explanation.version, ...selected }
    else if (html === undefined) console.log(String(selected))
  } finally {
    await server.close()
  }
  if (document !== undefined) await endWithDocument(document)
}

/** Returns the explanation of a route. @throws UsageError, with the routes that exist, if there is no such route */
function routeOf(explanation: Explanation, route: string): RouteExplanation {
  try {
    return explanation.route(route)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/**
 * Sends a JSON document to the parent process, which prints it, and then exits, because a module of the application could keep this process
 * alive.
 */
async function endWithDocument(document: object, code = 'ok' in document && document.ok === false ? 1 : 0): Promise<void> {
  await sendDocument(document)
  endProcess(code)
}

function endProcess(code?: number): never {
  isOver = true
  process.exit(code)
}

/** Prints the JSON document of a command that runs in a child process. */
async function printDocument(command: string, target: string): Promise<void> {
  const { document, end } = await runForDocument()
  const printed = document ?? (command === 'check' ? reportOfEnd(target, end) : undefined)
  if (printed !== undefined) console.log(JSON.stringify(printed, null, 2))
  // A process that fails has printed its error.
  else if (end === 0) console.error(textOfEnd(end))
  process.exitCode = typeof end === 'number' && (document !== undefined || end !== 0) ? end : failed
}

async function build(App: Class, options: BootstrapOptions, directory: string): Promise<void> {
  const recording = new BuildRecording()
  const server = await bootstrap(App, { ...options, prebuilt: recording })
  try {
    const { keywordsLeft } = await recording.write(resolve(directory))
    if (keywordsLeft.length > 0)
      console.log(
        `The server compiles schemas with ${keywordsLeft.join(', ')} itself: these keywords are functions, so no code can be written of them.`,
      )
  } finally {
    await server.close()
  }
}

/** Whether an error is printed without its stack, because its message contains everything needed. */
function isExpected(error: unknown): boolean {
  if (error instanceof WiringError || error instanceof UsageError) return true
  const { code } = (error ?? {}) as { code?: string }
  return (
    code === 'ALC_ERR_ENVIRONMENT_INVALID' ||
    code === 'ALC_ERR_PEER_MISSING' ||
    code === 'ALC_ERR_INIT_OPTS_INVALID' ||
    code === 'ALC_ERR_BOOT_FAULTS' ||
    code?.startsWith('ALC_ERR_SCH_') === true ||
    code === 'ALC_ERR_BUILD_OPTIONS' ||
    code === 'ERR_MODULE_NOT_FOUND' ||
    code === 'ERR_UNSUPPORTED_DIR_IMPORT' ||
    code?.startsWith('ERR_PARSE_ARGS') === true
  )
}

// A program that reads the output, such as `head`, may end first.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  endProcess()
})

process.on('exit', (code) => {
  if (isOver || isDocumentProcess) return
  console.error(textOfEnd(code))
  if (code === 0) process.exitCode = failed
})

main()
  .catch((error: unknown) => {
    if (givenCommand === 'check' && process.argv.includes('--json'))
      console.log(JSON.stringify(reportOfMisuse(givenTarget, error), null, 2))
    console.error(isExpected(error) ? (error as Error).message : error)
    process.exitCode = failed
  })
  .finally(() => {
    isOver = true
    if (givenCommand === 'mock') return
    // A server or a timer of the application may keep the process alive. A slow reader gets the whole output first.
    process.stdout.write('', () => setTimeout(() => process.exit(), 1000).unref())
  })
