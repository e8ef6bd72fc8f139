/** The option `--env` of commands, which takes a file of environment variables. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { environmentNames, findEnvironmentProblems, nearestName, textOfProblem } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import { readWiring } from '../run/bootstrap.js'
import { environmentsOf } from '../wiring/environments.js'
import { docsOf } from '../wiring/faults.js'
import { type FilePosition, UsageError } from './modules.js'
import { type ReportedFault, type ReportedWarning, VariablesError } from './json/report.js'

/**
 * Checks a file of environment variables against all classes made by `environment` among an application's providers. Nothing is
 * constructed, and the variables of this process are ignored.
 * @param warn a function that is called for each variable that the application does not read
 * @throws VariablesError with all problems
 */
export async function checkEnvironment(App: Class, file: string, warn: (warning: ReportedWarning) => void): Promise<void> {
  const classes = environmentsOf(readWiring(App, new Map()).wiring)
  if (classes.length === 0)
    throw new UsageError(
      `${App.name} provides no class of environment(…), so nothing says what ${file} must have. Write class Settings extends environment({ … }) {}, and list it in providers.`,
    )
  const text = await read(file)
  const variables = parseEnv(text) as Record<string, string>
  const declared = classes.map(({ Class }) => environmentNames(Class))
  const known = declared.flatMap((names) => names ?? [])
  const { misspelt, others } = sortOut(Object.keys(variables), known)
  const at = (name: string | undefined): FilePosition => positionOf(name, file, text)
  // A class may read any variable if the library of its schema does not tell the names of its properties.
  const unread = declared.includes(undefined) ? [] : others
  for (const name of unread) {
    const isName = /^[\w.-]+$/.test(name)
    const position = isName ? at(name) : positionOfLine(name, file, text)
    const problem = isName
      ? `${name} is not read by the application.`
      : 'The line is not of the form NAME=value, so a part of it is read as a name.'
    const message = `${positionText(position)} ${problem}`
    warn({ source: 'environment', code: 'unread-variable', message, ...(isName && { variable: name }), ...absolutePosition(position) })
  }
  const spelled = Object.fromEntries(Object.entries(variables).filter(([name]) => !misspelt.has(name)))
  const problems: Problem[] = [
    ...[...misspelt].map(([variable, meant]) => {
      const cure = `Did you mean ${meant}?`
      return { variable, text: `${variable} is not a variable of the application. ${cure}`, cure }
    }),
    ...classes.flatMap(({ Class, place }) =>
      findEnvironmentProblems(Class, spelled, known).map((problem) => ({ ...problem, text: textOfProblem(problem, place), place })),
    ),
  ]
  if (problems.length === 0) return
  const faults = problems.map(({ variable, text: message, cure, place }): ReportedFault => ({
    source: 'environment',
    code: 'ALC_ERR_ENVIRONMENT_INVALID',
    message,
    docs: docsOf('ALC_ERR_ENVIRONMENT_INVALID'),
    ...(cure !== undefined && { cure }),
    ...(variable !== undefined && { variable }),
    ...(place !== undefined && { place, path: place.split(' > ') }),
    ...absolutePosition(at(variable)),
  }))
  throw new VariablesError(
    file,
    faults,
    problems.map(({ variable, text: message }) => `${positionText(at(variable))} ${message}`),
  )
}

/** A problem with one environment variable. */
interface Problem {
  readonly variable: string | undefined
  readonly text: string
  readonly cure?: string | undefined
  /** The path of the class that reads the variable. */
  readonly place?: string
}

/**
 * Adds the variables of a file to the environment of this process, as `node --env-file` does: variables that are already set keep their
 * values.
 * @throws UsageError if the file cannot be read
 */
export function loadEnvironment(file: string): void {
  try {
    process.loadEnvFile(file)
  } catch (error) {
    throw unreadable(error)
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw unreadable(error)
  }
}

function unreadable(error: unknown): UsageError {
  return new UsageError(`The file of --env cannot be read: ${(error as Error).message}`)
}

/** Divides undeclared variables into misspelt variables, each with the name that was probably meant, and all others. */
function sortOut(names: readonly string[], declared: readonly string[]): { misspelt: Map<string, string>; others: string[] } {
  const absent = declared.filter((name) => !names.includes(name))
  const misspelt = new Map<string, string>()
  const others: string[] = []
  for (const name of names.filter((each) => !declared.includes(each))) {
    const meant = nearestName(name, absent)
    if (meant === undefined) others.push(name)
    else misspelt.set(name, meant)
  }
  return { misspelt, others }
}

/** Returns the file and the line that sets a variable; only the file if no line sets the variable. */
function positionOf(name: string | undefined, file: string, text: string): FilePosition {
  // If several lines set a variable, the last one counts.
  return lineOf(
    file,
    text.split('\n').findLastIndex((each) => /^\s*(?:export\s+)?([^=\s#]+)\s*=/.exec(each)?.[1] === name),
  )
}

/** Returns the line at which a name of several words or lines begins. Such a name may be a part of a secret, so no message shows it. */
function positionOfLine(name: string, file: string, text: string): FilePosition {
  const [first] = name.split('\n') as [string]
  return lineOf(
    file,
    text.split('\n').findIndex((each) => each.replace(/^\s*(?:export\s+)?/, '').startsWith(first)),
  )
}

/** @param index the index of a line; -1 if there is none */
function lineOf(file: string, index: number): FilePosition {
  return index === -1 ? { file } : { file, line: index + 1 }
}

/** Returns a position in a file as the prefix of a message: `.env.production:3:`. */
function positionText({ file, line }: FilePosition): string {
  return line === undefined ? `${file}:` : `${file}:${line}:`
}

function absolutePosition(position: FilePosition): FilePosition {
  return { ...position, file: resolve(position.file) }
}
