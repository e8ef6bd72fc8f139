/** The command `alcove openapi`: writes the OpenAPI document of an application, or compares it with a file. Nothing is started. */
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { OpenApiDocument, OpenApiOptions, OpenApiWarning } from '../contract/openapi/document-types.js'
import { writeDocument } from '../contract/openapi/document.js'
import { problemsOfOptions } from '../contract/openapi/options.js'
import type { Class } from '../declare/metadata.js'
import { describeForCommand, loadExportedOptions } from './application.js'
import { UsageError } from './modules.js'
import { differencesOf } from '../contract/document/json-differences.js'
import type { ReportedWarning } from './json/report.js'
import { isYaml, loadYaml, readDocument } from './files/read-document.js'
import { writeOutput } from './files/write-output.js'

export interface OpenApiArguments {
  readonly out?: string | undefined
  readonly version?: string | undefined
  readonly check?: string | undefined
  /** The name of the export that contains the options of the OpenAPI document. */
  readonly document?: string | undefined
  /** The name of the export that contains the options of the server. */
  readonly options?: string | undefined
}

/** Writes the OpenAPI document of an application, or compares it with a file. @returns `false` if file and document differ */
export async function writeOpenApi(file: string, App: Class, args: OpenApiArguments): Promise<boolean> {
  const { out, check } = args
  const { document, warnings } = await makeDocument(file, App, args)
  for (const { message } of warnings.filter(({ kind }) => kind === 'lossy')) console.error(message)
  const undescribed = warnings.filter(({ kind }) => kind === 'undescribed').length
  if (undescribed > 0)
    console.error(`${undescribed} replies, bodies or parameters lack a description or schema: alcove check ${file} --contract lists them.`)
  if (check !== undefined) return compare(document, check)
  if (out === undefined) console.log(JSON.stringify(document, null, 2))
  else await writeOutput(out, await serializeDocument(document, out))
  return true
}

/** Warns of all facts that the OpenAPI document of an application lacks or cannot express. */
export async function checkContract(
  file: string,
  App: Class,
  args: Pick<OpenApiArguments, 'document' | 'options'>,
  warn: (warning: ReportedWarning) => void,
): Promise<void> {
  const { document, options } = args
  const { warnings } = await makeDocument(file, App, { document, options }, (message) =>
    warn({ source: 'contract', code: 'may-add-routes', message }),
  )
  for (const { kind, message } of warnings) warn({ source: 'contract', code: kind, message })
}

/** Makes the OpenAPI document of an application, with warnings about all facts that it lacks. */
export async function makeDocument(
  file: string,
  App: Class,
  args: OpenApiArguments,
  warn?: (message: string) => void,
): Promise<{ readonly document: OpenApiDocument; readonly warnings: readonly OpenApiWarning[] }> {
  const version = readVersion(args.version)
  const options: OpenApiOptions = { ...(await documentOptions(file, App, args.document)), ...(version !== undefined && { version }) }
  const problems = problemsOfOptions(options)
  if (problems !== undefined) throw new UsageError(`${file} exports options of the document that are wrong: ${problems}.`)
  const hint = 'The document of a server that is ready contains them: openapi(server, …).'
  const description = await describeForCommand(file, App, args.options, hint, warn)
  const warnings: OpenApiWarning[] = []
  const document = writeDocument(description, { ...options, onWarning: (warning) => warnings.push(warning) })
  return { document, warnings }
}

function readVersion(version: string | undefined): OpenApiOptions['version'] {
  if (version === undefined || version === '3.1' || version === '3.2') return version
  throw new UsageError(`--version is 3.1 or 3.2, not ${version}.`)
}

/**
 * Returns the options of the OpenAPI document that a module exports. Without this export, the title is the name of the plugin class and the
 * version is that of the package.
 */
async function documentOptions(file: string, App: Class, name: string | undefined): Promise<OpenApiOptions> {
  const { info, ...others } = ((await loadExportedOptions(file, 'document', name)) ?? {}) as Partial<OpenApiOptions>
  return { ...others, info: info ?? { title: App.name, version: await packageVersion(dirname(resolve(file))) } }
}

/** Returns the version in the nearest package.json, in this folder or above; `0.0.0` if there is none. */
async function packageVersion(directory: string): Promise<string> {
  const text = await readFile(join(directory, 'package.json'), 'utf8').catch(() => undefined)
  const { version } = (text === undefined ? {} : JSON.parse(text)) as { version?: string }
  if (version !== undefined) return version
  return dirname(directory) === directory ? '0.0.0' : packageVersion(dirname(directory))
}

async function compare(document: object, file: string): Promise<boolean> {
  const expected = await readDocument(file)
  // JSON removes members that are undefined, which a reader of the document does not see either.
  const differences = differencesOf(expected, JSON.parse(JSON.stringify(document)))
  if (differences.length === 0) return true
  console.error(`${file} is not the document of the application:\n${differences.map((line) => `  ${line}`).join('\n')}`)
  return false
}

async function serializeDocument(document: object, file: string): Promise<string> {
  return isYaml(file) ? (await loadYaml()).stringify(document) : `${JSON.stringify(document, null, 2)}\n`
}
