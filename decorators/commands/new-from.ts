/** The command `alcove new --from`: writes an application that implements a contract. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { contractDifferences } from '../contract/document/differences.js'
import { openapi } from '../contract/openapi/openapi.js'
import { bootstrap } from '../run/bootstrap.js'
import { UsageError } from './modules.js'
import { copyTemplate, nextSteps, warnOfPath } from './new-app.js'
import { makeApplication } from './contract-first/application.js'
import { docsPath, writeFiles } from './contract-first/files.js'
import type { PlannedApplication } from './contract-first/plan.js'
import { writeOutput } from './files/write-output.js'
import { planFile } from './contract-first/plan-file.js'

/**
 * Writes an application that implements the contract in a file, and prints the places of the contract that are not implemented.
 * @param target the path of a new or empty directory
 * @param file the path of the OpenAPI document
 */
export async function createFromContract(target: string, file: string): Promise<void> {
  const { document, plan } = await planFile(file)
  const differences = await findDifferences(document, plan, file)
  const directory = await copyTemplate(target, 'app')
  await rm(join(directory, 'src/app.test.ts'))
  const files = Object.entries(writeFiles(plan)).map(([path, text]) => [join('src', path), text] as const)
  const contract = [
    ['contract/openapi.json', json(document)],
    ['contract/differences.json', json(Object.fromEntries(differences.map(({ line, reason }) => [line, reason])))],
    ['README.md', readme(await readFile(join(directory, 'README.md'), 'utf8'), docsPath(plan))],
  ] as const
  for (const [path, text] of [...files, ...contract]) {
    await writeOutput(join(directory, path), text)
  }
  const operations = plan.groups.flatMap(({ actions }) => actions).length
  const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`
  console.log(
    `${target} has ${counted(operations, 'operation')} and ${counted(plan.schemas.length, 'schema')} of ${file}. The handlers are left to write.`,
  )
  console.log(planReport(plan, differences))
  console.log(nextSteps(target, docsPath(plan)))
  warnOfPath(target)
}

interface Difference {
  /** The line of `contractDifferences` for this difference. */
  readonly line: string
  readonly reason: string
}

/**
 * Finds the differences between the contract and the document of the planned application, with the reason for each. The application is
 * booted in memory first, so that no files are written if it would not start.
 * @throws UsageError if the application would not start
 */
async function findDifferences(document: unknown, plan: PlannedApplication, file: string): Promise<Difference[]> {
  const { App, options } = makeApplication(plan)
  try {
    const server = await bootstrap(App, options)
    await server.close()
  } catch (error) {
    throw new UsageError(`The application of ${file} would not start: ${(error as Error).message}`)
  }
  const lines = contractDifferences(document, openapi(App, plan.document, options))
  return lines.map((line) => ({ line, reason: reasonOf(line, plan) }))
}

/** Returns the reason for a difference: the reason in the note at the same place of the document, or in the nearest note above or below. */
function reasonOf(line: string, { notes }: PlannedApplication): string {
  if (line.startsWith('+') && /AlcoveError|ProblemDetails/.test(line))
    return 'The framework refuses some requests with this payload, unless an error handler makes another one.'
  const pointer = /^[-+] (.*?)(?:: |$)/.exec(line)![1]!
  const distance = (one: string): number => {
    const [short, long] = one.length < pointer.length ? [one, pointer] : [pointer, one]
    return long === short || long.startsWith(`${short}/`) ? long.length - short.length : Infinity
  }
  const [nearest] = notes.map((note) => ({ ...note, distance: distance(note.pointer) })).sort((a, b) => a.distance - b.distance)
  if (nearest !== undefined && nearest.distance < Infinity) return nearest.reason
  return pointer.startsWith('/components/') && line.startsWith('-')
    ? 'The document has only the components that an operation uses.'
    : 'alcove says this otherwise.'
}

/**
 * Returns a text that lists the unimplemented places of the contract, each once. Differences that a note explains are listed only in
 * `contract/differences.json`. A note without a difference, such as that of a webhook, is of something that the comparison leaves out.
 */
function planReport({ notes }: PlannedApplication, differences: readonly Difference[]): string {
  const noted = notes.map(({ pointer, reason }) => `  ${pointer}: ${reason}`)
  const others = differences
    .filter(({ reason }) => !notes.some((note) => note.reason === reason))
    .map(({ line, reason }) => `  ${line}\n    ${reason}`)
  if (noted.length + others.length === 0) return 'Its document says all that the contract says.'
  const summary = `The differences between its document and the contract, with their reasons, are in contract/differences.json: ${differences.length}.`
  const listed = ['Of the contract, this is not kept or left to do:', ...noted, ...others]
  return [...listed, ...(differences.length > 0 ? [summary] : [])].join('\n')
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function readme(template: string, page: string | undefined): string {
  return template.replace('http://localhost:3000/docs; ', page === undefined ? '' : `http://localhost:3000${page}; `).replace(
    /\nOpen `http[^]*/,
    `
It was written from \`contract/openapi.json\`. Each handler, and each guard in \`src/guards.ts\`, is left to write: it answers 501. Write what the
method returns instead of \`throw\`, and remove \`: never\`. Then the compiler checks the result against the schema of its route.

\`src/contract.test.ts\` compares the document of the application with the contract. \`contract/differences.json\` lists the differences that
are allowed, each with its reason.
`,
  )
}
