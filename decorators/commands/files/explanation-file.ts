/** Reads an earlier explanation of an application, with which `alcove explain --html` compares the current one. */
import { readFile } from 'node:fs/promises'
import type { ExplanationDocument } from '../../tools/explanation.js'
import { UsageError } from '../modules.js'

/**
 * Reads a file that `alcove explain --json` wrote.
 * @param page the file of the option `--html`, which must be given, because only the page shows the comparison
 * @throws UsageError if the file is not an explanation, or if `page` is missing
 */
export async function readExplanation(file: string, page: string | undefined): Promise<ExplanationDocument> {
  if (page === undefined) throw new UsageError('--compare is shown on a page: name it, --html page.html')
  const cure = 'Write it with the application to compare with: alcove explain old.js --json > old.json'
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    throw new UsageError(`${file} cannot be read. ${cure}`)
  }
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    throw new UsageError(`${file} is not JSON. ${cure}`)
  }
  const document = (typeof read === 'object' && read !== null ? read : {}) as Partial<ExplanationDocument>
  if (document.version !== 1 || !Array.isArray(document.routes) || typeof document.root !== 'object')
    throw new UsageError(`${file} is not an explanation of an application, with the version 1. ${cure}`)
  return document as ExplanationDocument
}
