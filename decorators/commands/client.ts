/** The command `alcove client`: writes a client of an application, or compares it with a file. Nothing is started. */
import { readFile } from 'node:fs/promises'
import { writeClientFile } from '../contract/client-file/client-file.js'
import type { Class } from '../declare/metadata.js'
import { describeForCommand } from './application.js'
import { writeOutput } from './files/write-output.js'
import { UsageError } from './modules.js'

export interface ClientArguments {
  /** The file to write the client to. */
  readonly out?: string | undefined
  /** Whether the client is only compared with the file instead of written to it. */
  readonly check?: boolean | undefined
  readonly dates?: boolean | undefined
  readonly tanstack?: boolean | undefined
  readonly msw?: boolean | undefined
  /** The name of the export that contains the options of the server. */
  readonly options?: string | undefined
}

/** Writes the client of an application, or compares it with a file. @returns `false` if the compared file is not up to date */
export async function writeClient(
  file: string,
  App: Class,
  { out, check = false, dates = false, tanstack = false, msw = false, options }: ClientArguments,
): Promise<boolean> {
  if (check && out === undefined) throw new UsageError('alcove client --check compares a file: name it, --out client.ts')
  const description = await describeForCommand(
    file,
    App,
    options,
    'The client of a server that is ready contains them: clientFile(server).',
  )
  const text = writeClientFile(description, { dates, tanstack, msw })
  if (out === undefined) console.log(text)
  else if (!check) await writeOutput(out, text)
  else if (!(await hasText(out, text))) {
    const flags = Object.entries({ dates, tanstack, msw }).flatMap(([name, isGiven]) => (isGiven ? [` --${name}`] : []))
    console.error(`${out} is not what the application has now. Write it again: alcove client ${file}${flags.join('')} --out ${out}`)
    return false
  }
  return true
}

/**
 * Whether a file has this text. Differences that a code formatter makes are ignored: spaces, quotes, and a `|` before the first member of a
 * union.
 */
async function hasText(path: string, text: string): Promise<boolean> {
  const withoutForm = (text: string): string =>
    text.replaceAll(/(?<=(?:[<(=:,?[]|=>)\s*|readonly\s+)\|\s/g, '').replaceAll(/[\s'"`;,()]+/g, '')
  return withoutForm(await readFile(path, 'utf8').catch(() => '')) === withoutForm(text)
}
