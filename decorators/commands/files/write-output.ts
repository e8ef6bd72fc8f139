/** Writes the file that a command is asked for. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from '../modules.js'

/** Writes a text into a file, and creates the folders that it lacks. @throws UsageError if the file cannot be written */
export async function writeOutput(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}`)
  }
}
