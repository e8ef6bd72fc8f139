/** Writes the file that a command is asked for. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a text into a file, and creates the folders that it lacks. */
export async function writeOutput(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
