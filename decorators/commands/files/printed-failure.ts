/** Asks Node.js for the position of a syntax error in an ES module, which the error itself does not contain. */
import { spawnSync } from 'node:child_process'

/** Returns the text that Node.js prints if a module cannot be imported, which begins with the position. Waits at most 10 s. */
export function printedFailure(url: string): string {
  const program = `await import(${JSON.stringify(url)})`
  const { stderr } = spawnSync(process.execPath, [...process.execArgv, '--input-type=module', '--eval', program], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 10_000,
  })
  return stderr
}
