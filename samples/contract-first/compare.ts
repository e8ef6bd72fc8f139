/** Is the application what was agreed on? */
// #region compare
import { readFileSync } from 'node:fs'
import { contractDifferences, openapi } from 'alcove/contract'
import { App, document, options } from './src/app.js'

/** A line for each part that differs: `- /paths/~1notes/post: …` is only in the contract, `+ …` only in the application. */
export function compare(file: string): string[] {
  const contract: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return contractDifferences(contract, openapi(App, document, options))
}
// #endregion
