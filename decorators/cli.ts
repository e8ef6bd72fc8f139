#!/usr/bin/env node
/** The command `alcove` with its subcommands `new`, `check`, `explain` and `build`. */
import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { BuildRecording, type ServerOptions } from '../lib/index.js'
import { otherCopyOf } from './declare/copies.js'
import type { Class } from './declare/metadata.js'
import { getPluginOptions } from './declare/plugin.js'
import { bootstrap, check } from './run/bootstrap.js'
import { explain } from './tools/explain.js'
import { WiringError } from './wiring/faults.js'

const usage = `alcove new <dir>                     a small app with a test
alcove check <file>                  checks the wiring of the application that a compiled module exports
alcove explain <file> [route]        boots it and prints its contexts, or what one route sees ("GET /users/:id")
    --json                           prints JSON
    --html <page>                    writes an HTML page
alcove build <file>                  compiles its validators, serializers and routes ahead of time
    --out <dir>                      the folder to write to; default: alcove.build beside the file
    --options <name>                 for explain and build: the exported options for bootstrap; default: options, if it exists
    --export <name>                  the exported plugin class; default: default, App, or the only one
alcove --version                     prints the version`

/** An error in how the command is used: its message is printed without a stack trace. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      html: { type: 'string' },
      out: { type: 'string' },
      options: { type: 'string' },
      export: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  const [command, target, route] = positionals
  if (values.version === true) return console.log(await ownVersion())
  if (values.help === true || command === undefined) return console.log(usage)
  if (target === undefined) throw new UsageError(usage)
  const surplus = positionals.slice(command === 'explain' ? 3 : 2)
  if (surplus.length > 0) throw new UsageError(`alcove ${command} does not take '${surplus.join("', '")}'.\n\n${usage}`)
  if (command === 'new') return createApp(target)
  if (command !== 'check' && command !== 'explain' && command !== 'build')
    throw new UsageError(`There is no command '${command}'.\n\n${usage}`)
  const App = await loadApplication(target, values.export)
  if (command === 'check') {
    check(App)
    return console.log(`The wiring of ${App.name} is correct.`)
  }
  if (command === 'build') {
    const directory = values.out ?? join(dirname(target), 'alcove.build')
    await build(App, await loadOptions(target, values.options), directory)
    return console.log(`${App.name} is built: import ${join(directory, 'index.mjs')} and pass it to bootstrap as the option prebuilt.`)
  }
  const server = await bootstrap(App, await loadOptions(target, values.options))
  try {
    const explanation = explain(server)
    if (values.html !== undefined) await writeFile(values.html, explanation.toHTML())
    else if (route === undefined) console.log(values.json === true ? JSON.stringify(explanation, null, 2) : String(explanation))
    else console.log(values.json === true ? JSON.stringify(explanation.route(route), null, 2) : String(explanation.route(route)))
  } finally {
    await server.close()
  }
}

async function build(App: Class, options: ServerOptions, directory: string): Promise<void> {
  const recording = new BuildRecording()
  const server = await bootstrap(App, { ...options, prebuilt: recording })
  try {
    await recording.write(resolve(directory))
  } finally {
    await server.close()
  }
}

/** The server options that a module exports. */
async function loadOptions(file: string, name: string | undefined): Promise<ServerOptions> {
  const module = (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>
  const found = module[name ?? 'options']
  if (name !== undefined && (found === null || typeof found !== 'object')) throw new UsageError(`${file} exports no options named ${name}.`)
  return found ?? {}
}

/** The plugin class of a module. */
async function loadApplication(file: string, name: string | undefined): Promise<Class> {
  const module = (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>
  const plugins = Object.entries(module).filter(([, value]) => typeof value === 'function' && getPluginOptions(value) !== undefined)
  const wanted =
    name === undefined
      ? (plugins.find(([key]) => key === 'default') ?? plugins.find(([key]) => key === 'App'))
      : plugins.find(([key]) => key === name)
  const found = wanted ?? (name === undefined && plugins.length === 1 ? plugins[0] : undefined)
  if (found !== undefined) return found[1] as Class
  for (const [key, value] of Object.entries(module)) {
    const copy = otherCopyOf(value)
    if (copy !== undefined && (name ?? key) === key)
      throw new UsageError(
        `${file} exports ${key}, a plugin class of another copy of alcove. Run the command of that copy: node ${join(copy, 'dist/decorators/cli.js')}`,
      )
  }
  const exported = plugins.map(([key]) => key).join(', ') || 'none'
  const problem =
    name === undefined ? 'neither a default plugin class, nor one named App, nor exactly one' : `no plugin class named ${name}`
  throw new UsageError(`${file} exports ${problem}. Plugin classes there: ${exported}.`)
}

async function ownVersion(): Promise<string> {
  return (JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version
}

/** Copies the template into a directory that is new or empty. */
async function createApp(target: string): Promise<void> {
  const directory = resolve(target)
  const present = await readdir(directory).catch(() => [])
  if (present.length > 0) throw new UsageError(`${target} is not empty.`)
  await cp(fileURLToPath(new URL('../../templates/app', import.meta.url)), directory, { recursive: true })
  // npm leaves .gitignore files out of packages.
  await rename(join(directory, 'gitignore'), join(directory, '.gitignore'))
  const version = await ownVersion()
  for (const file of ['package.json', 'README.md']) {
    const path = join(directory, file)
    const text = await readFile(path, 'utf8')
    await writeFile(
      path,
      text
        .replaceAll(
          '{{name}}',
          basename(directory)
            .toLowerCase()
            .replaceAll(/[^a-z0-9-]+/g, '-'),
        )
        .replaceAll('{{alcove}}', `^${version}`),
    )
  }
  console.log(`${target} is ready:\n\n  cd ${target}\n  npm install\n  npm test\n  npm run dev`)
}

main().catch((error: unknown) => {
  const isExpected =
    error instanceof WiringError || error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true
  console.error(isExpected ? (error as Error).message : error)
  process.exitCode = 1
})
