/** The option `--env` of commands: a file of environment variables. */
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { environmentNames, findEnvironmentProblems, nearestName, textOfProblem } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import { readWiring } from '../run/bootstrap.js'
import { environmentsOf } from '../wiring/environments.js'
import { UsageError } from './application.js'

/**
 * Proves a file against all classes made by `environment` that an application provides. Nothing is constructed, and the environment of
 * this process does not count.
 * @throws UsageError with all problems
 */
export async function checkEnvironment(App: Class, file: string): Promise<void> {
  const classes = environmentsOf(readWiring(App, new Map()).wiring)
  if (classes.length === 0)
    throw new UsageError(
      `${App.name} provides no class of environment(…), so nothing says what ${file} must have. Write class Settings extends environment({ … }) {}, and list it in providers.`,
    )
  const text = await read(file)
  const variables = parseEnv(text) as Record<string, string>
  const declared = classes.map(({ Class }) => environmentNames(Class))
  const { misspelt, others } = sortOut(
    Object.keys(variables),
    declared.flatMap((names) => names ?? []),
  )
  const at = (name: string | undefined): string => placeOf(name, file, text)
  // A class whose library does not tell its names may read any variable.
  const unread = declared.includes(undefined) ? [] : others
  for (const name of unread) console.error(`${at(name)} ${name} is not read by the application.`)
  const given = Object.fromEntries(Object.entries(variables).filter(([name]) => !misspelt.has(name)))
  const problems = [
    ...[...misspelt].map(([name, meant]) => `${at(name)} ${name} is not a variable of the application. Did you mean ${meant}?`),
    ...classes.flatMap(({ Class, place }) =>
      findEnvironmentProblems(Class, given).map((problem) => `${at(problem.variable)} ${textOfProblem(problem, place)}`),
    ),
  ]
  if (problems.length > 0)
    throw new UsageError(
      `${file} has ${problems.length === 1 ? 'a fault' : `${problems.length} faults`}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
  console.log(`${file} has all variables that ${App.name} needs.`)
}

/** Adds the variables of a file to the environment of this process, as `node --env-file` does: those that are set stay. @throws UsageError */
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

/** The variables that are not declared: those that are probably misspelt, with the names that were meant, and all others. */
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

/** `.env.production:3:`, the line that sets a variable; without a line if none does. */
function placeOf(name: string | undefined, file: string, text: string): string {
  // The last line that sets a variable counts.
  const line = text.split('\n').findLastIndex((each) => /^\s*(?:export\s+)?([^=\s#]+)\s*=/.exec(each)?.[1] === name)
  return line === -1 ? `${file}:` : `${file}:${line + 1}:`
}
