/** The document that `alcove check --json` prints. */
import { docsOf, type Fault, WiringError } from '../../wiring/faults.js'
import { type FilePosition, positionIn, UnreadableModuleError, UsageError, UsedEarlyError } from '../modules.js'

/** The result of `alcove check --json`. New members may be added; if existing members change, the number `version` changes. */
export interface CheckReport {
  readonly version: 1
  /** Whether there are no faults. The exit code of the command is then 0, otherwise 1. */
  readonly ok: boolean
  /** The file argument of the command. */
  readonly module: string
  /** The name of the plugin class; absent if the class could not be loaded. */
  readonly application?: string
  readonly faults: readonly ReportedFault[]
  /** The warnings: routes that still exist after their sunset, and findings of `--contract` and `--env` that are not faults. */
  readonly warnings: readonly ReportedWarning[]
}

/** A fault of the wiring, or another error for which the check fails. */
export interface ReportedFault extends Partial<FilePosition>, Partial<Pick<Fault, 'place' | 'path' | 'cure' | 'docs'>> {
  readonly source: 'wiring' | 'environment' | 'server' | 'module' | 'command'
  /** The code of the fault: `PROVIDER_UNKNOWN`, `ALC_ERR_…`, a code of Node.js, or the name of an error that has no code. */
  readonly code: string
  readonly message: string
  /** The name of the class at the place of the fault. */
  readonly class?: string
  /** The name of the faulty environment variable. */
  readonly variable?: string
}

/** A finding that should be reviewed, but does not make the check fail. */
export interface ReportedWarning extends Partial<FilePosition> {
  readonly source: 'wiring' | 'contract' | 'environment'
  /** The code of the warning: `past-sunset` for a route, `lossy` or `undescribed` for the OpenAPI document, `may-add-routes`, or `unread-variable`. */
  readonly code: string
  readonly message: string
  readonly variable?: string
}

/** The error for faults in a file of environment variables. Its message lists all these faults. */
export class VariablesError extends UsageError {
  readonly faults: readonly ReportedFault[]

  constructor(file: string, faults: readonly ReportedFault[], lines: readonly string[]) {
    const count = lines.length === 1 ? 'a fault' : `${lines.length} faults`
    super(`${file} has ${count}:\n${lines.map((line) => `  - ${line}`).join('\n')}`)
    this.faults = faults
  }
}

/** Returns the faults that an error reports. @param source the step that failed, used if the error does not tell its source */
export function faultsOfError(error: unknown, source: 'module' | 'server'): ReportedFault[] {
  if (error instanceof WiringError) return error.faults.map((fault) => ({ source: 'wiring', ...fault }))
  if (error instanceof VariablesError) return [...error.faults]
  if (error instanceof UsedEarlyError) {
    const { code, message, cure, docs, read, at } = error
    return [{ source: 'module', code, message, cure, docs, class: read, ...at }]
  }
  if (error instanceof UnreadableModuleError) return [{ source: 'module', code: error.code, message: error.message, ...error.at }]
  if (!(error instanceof Error)) return [{ source, code: 'Error', message: String(error) }]
  const { code = error.name, context, errors } = error as { code?: string; context?: unknown; errors?: unknown }
  const { message } = error
  if (error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS'))
    return [{ source: 'command', code: 'USAGE', message, docs: 'docs/reference/cli.md' }]
  // The boot reports the faults of several routes as one error.
  if (code.startsWith('ALC_') && Array.isArray(errors)) return errors.flatMap((each) => faultsOfError(each, source))
  if (!code.startsWith('ALC_')) return [{ source, code, message, ...positionIn(error.stack) }]
  const at = typeof context === 'string' ? { place: context, path: context.split(' > ') } : {}
  return [{ source: 'server', code, message, docs: docsOf(code), ...at }]
}
