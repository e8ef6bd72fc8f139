/**
 * Runs a command in a child process, whose standard output goes to standard error. So the standard output of the command is one JSON
 * document, even if modules of the application write to standard output, also past `process.stdout` as a logger does.
 */
import { fork } from 'node:child_process'

/** The environment variable that tells a child process to send its document to this process. */
const KEY = 'ALCOVE_JSON_CHILD'

/** The message with the document of a child process. The application in this process may send other messages. */
interface Sent {
  readonly alcoveDocument: unknown
}

/** Whether {@link runForDocument} has started this process. Returns `false` in processes that the application starts. */
export function takesDocument(): boolean {
  const isChild = process.env[KEY] !== undefined && process.send !== undefined
  delete process.env[KEY]
  return isChild
}

/** Sends a document to the parent process, which prints it. */
export async function sendDocument(document: unknown): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.send!({ alcoveDocument: JSON.parse(JSON.stringify(document)) } satisfies Sent, undefined, undefined, (error) =>
      error === null ? resolve() : reject(error),
    )
  })
  process.disconnect()
}

/** The outcome of a child process: how it ended, and the document if it has sent one. */
export interface Outcome {
  readonly document: unknown
  /** The exit code of the process, or the name of the signal that ended it. */
  readonly end: number | string
}

/** Runs this command with the same arguments in a child process, and resolves to the outcome. */
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
