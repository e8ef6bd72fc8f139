/**
 * A process that says what is wrong with arguments of the command `alcove`: it receives lists of them, and answers in their order. It is one
 * process for all, because most of the time of a command goes into loading it.
 */
import { devNull } from 'node:os'
import { extname } from 'node:path'
import { setImmediate } from 'node:timers/promises'

const refusal = /^(?:There is no (?:command|error code)|alcove \S+ does not take|Unknown option|Option .* (?:argument|does not))/
const cli = `../../decorators/cli${extname(import.meta.url)}`
let count = 0
let last = Promise.resolve()

// A command ends its process, which here has to answer for the next one.
process.exit = (() => {}) as unknown as typeof process.exit

process.on('message', (args: string[]) => {
  last = last.then(() => answer(args))
})

async function answer(args: readonly string[]): Promise<void> {
  // With --json, a command whose arguments are right starts the program again and waits for it: here, one that does nothing.
  process.argv.splice(1, Infinity, devNull, ...args)
  const printed: string[] = []
  console.log = () => {}
  console.error = (text: unknown) => void printed.push(String(text).split('\n')[0]!)
  await import(count === 0 ? cli : `${cli}?${count}`)
  count += 1
  // Arguments are refused before the application is looked for, which is not there.
  await setImmediate()
  process.send!(printed.find((line) => refusal.test(line)) ?? '')
}
