/**
 * Runs a command in a child process, whose standard output goes to standard error. Modules of the application may write to standard
 * output, also past `process.stdout` as a logger does; what is left there is one JSON document.
 */
import { fork } from 'node:child_process'

/** Says in the environment of a process that it sends its document to this one. */
const KEY = 'ALCOVE_JSON_CHILD'

/** A document as the child process sends it. The application in it may send other messages. */
interface Sent {
  readonly alcoveDocument: unknown
}

/** Whether this process was started by {@link runForDocument}. Processes that the application starts are not. */
export function takesDocument(): boolean {
  const isChild = process.env[KEY] !== undefined && process.send !== undefined
  delete process.env[KEY]
  return isChild
}

/** Sends the document to the process that prints it. */
export async function sendDocument(document: unknown): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.send!({ alcoveDocument: JSON.parse(JSON.stringify(document)) } satisfies Sent, undefined, undefined, (error) =>
      error === null ? resolve() : reject(error),
    )
  })
  process.disconnect()
}

/** How the process ended, and the document if it sent one. */
export interface Outcome {
  readonly document: unknown
  /** The exit code, or the name of a signal. */
  readonly end: number | string
}

/** Runs this command again, with the same arguments. */
export function runForDocument(): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let document: unknown
    const child = fork(process.argv[1]!, process.argv.slice(2), { env: { ...process.env, [KEY]: '1' }, stdio: ['inherit', 2, 2, 'ipc'] })
    child.on('message', (message) => {
      const { alcoveDocument } = (message ?? {}) as Partial<Sent>
      if (alcoveDocument !== undefined) document = alcoveDocument
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ document, end: code ?? signal! }))
  })
}
