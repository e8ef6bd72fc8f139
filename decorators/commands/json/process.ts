/**
 * Runs a command in a child process whose standard output goes to standard error. The standard output of the command is then exactly one
 * JSON document, even if the application writes to standard output, for instance by a logger that bypasses `process.stdout`.
 */
import { fork } from 'node:child_process'

/** The environment variable by which a child process knows that it must send its document to the parent process. */
const KEY = 'ALCOVE_JSON_CHILD'

/** The message of a child process that contains its document. The application in the child process may send other messages. */
interface Sent {
  readonly alcoveDocument: unknown
}

/** Whether {@link runForDocument} has started this process. Returns `false` in processes that the application has started. */
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

/** The outcome of a child process: its end, and its document if it has sent one. */
export interface Outcome {
  readonly document: unknown
  /** The exit code of the process, or the name of the signal that killed it. */
  readonly end: number | string
}

/** Runs this command with the same arguments in a child process, and resolves to its outcome. */
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
