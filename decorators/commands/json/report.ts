/** The document that `alcove check --json` prints. */
import { docsOf, type Fault, WiringError } from '../../wiring/faults.js'
import { type FilePosition, positionIn, UsageError, UsedEarlyError } from '../modules.js'

/** The result of a check. Members may be added; a change of those that exist has another `version`. */
export interface CheckReport {
  readonly version: 1
  /** Whether there are no faults. The command exits with 0 if so, else with 1. */
  readonly ok: boolean
  /** The file of the command. */
  readonly module: string
  /** The name of the plugin class; absent if it could not be loaded. */
  readonly application?: string
  readonly faults: readonly ReportedFault[]
  /** The findings of `--contract` and `--env` that are not faults. */
  readonly warnings: readonly ReportedWarning[]
}

/** A fault of the wiring, or another error for which the check fails. */
export interface ReportedFault extends Partial<FilePosition>, Partial<Pick<Fault, 'place' | 'path' | 'cure' | 'docs'>> {
  readonly source: 'wiring' | 'environment' | 'server' | 'module' | 'command'
  /** `PROVIDER_UNKNOWN`, `ALC_ERR_…`, a code of Node.js, or the name of an error without a code. */
  readonly code: string
  readonly message: string
  /** The class at the place. */
  readonly class?: string
  /** The variable of a fault of the environment. */
  readonly variable?: string
}

/** Something that is worth a look, and for which the check does not fail. */
export interface ReportedWarning extends Partial<FilePosition> {
  readonly source: 'contract' | 'environment'
  /** `lossy` and `undescribed` of the OpenAPI document, `may-add-routes`, or `unread-variable`. */
  readonly code: string
  readonly message: string
  readonly variable?: string
}

/** Several faults of a file of variables. The message lists them. */
export class VariablesError extends UsageError {
  readonly faults: readonly ReportedFault[]

  constructor(file: string, faults: readonly ReportedFault[], lines: readonly string[]) {
    const count = lines.length === 1 ? 'a fault' : `${lines.length} faults`
    super(`${file} has ${count}:\n${lines.map((line) => `  - ${line}`).join('\n')}`)
    this.faults = faults
  }
}

/** An error as faults. @param source what failed, unless the error itself says it */
export function faultsOfError(error: unknown, source: 'module' | 'server'): ReportedFault[] {
  if (error instanceof WiringError) return error.faults.map((fault) => ({ source: 'wiring', ...fault }))
  if (error instanceof VariablesError) return [...error.faults]
  if (error instanceof UsedEarlyError) {
    const { code, message, cure, docs, read, at } = error
    return [{ source: 'module', code, message, cure, docs, class: read, ...at }]
  }
  if (!(error instanceof Error)) return [{ source, code: 'Error', message: String(error) }]
  const { code = error.name, context } = error as { code?: string; context?: unknown }
  const { message } = error
  if (error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS'))
    return [{ source: 'command', code: 'USAGE', message, docs: 'docs/reference/cli.md' }]
  if (!code.startsWith('ALC_')) return [{ source, code, message, ...positionIn(error.stack) }]
  const at = typeof context === 'string' ? { place: context, path: context.split(' > ') } : {}
  return [{ source: 'server', code, message, docs: docsOf(code), ...at }]
}
