/**
 * The command `alcove check`: checks the wiring, the OpenAPI document and the environment variables of an application. Nothing is
 * constructed.
 */
import type { Class } from '../declare/metadata.js'
import { check } from '../run/bootstrap.js'
import { docsOf } from '../wiring/faults.js'
import { loadApplication, loadOptions } from './application.js'
import { checkEnvironment } from './environment.js'
import { locateFaults } from './json/locate.js'
import { type CheckReport, faultsOfError, type ReportedFault, type ReportedWarning } from './json/report.js'
import type { Outcome } from './json/process.js'
import { checkContract } from './openapi.js'
import { warnOfSunsets } from './sunsets.js'

export interface CheckArguments {
  /** The name of the exported plugin class. */
  readonly export?: string | undefined
  readonly contract?: boolean | undefined
  /** The name of the export that contains the options of the OpenAPI document. */
  readonly document?: string | undefined
  /** The name of the export that contains the options of the server. */
  readonly options?: string | undefined
  /** The path of a file of environment variables. */
  readonly env?: string | undefined
}

/**
 * Checks an application, and prints the successful checks. @throws WiringError with the faults of the wiring, UsageError with other faults
 */
export async function checkApplication(file: string, options: CheckArguments): Promise<void> {
  const App = await loadApplication(file, options.export)
  check(App, await loadOptions(file, options.options))
  console.log(`The wiring of ${App.name} is correct.`)
  warnOfSunsets(App, ({ message }) => console.error(message))
  if (options.contract === true)
    // Findings about the document are the result of the command; a warning that routes may be missing is a remark.
    await checkContract(file, App, options, ({ code, message }) => (code === 'may-add-routes' ? console.error : console.log)(message))
  if (options.env === undefined) return
  await checkEnvironment(App, options.env, ({ message }) => console.error(message))
  console.log(`${options.env} has all variables that ${App.name} needs.`)
}

/** Checks an application, and returns its faults of all kinds as data. */
export async function reportCheck(file: string, options: CheckArguments): Promise<CheckReport> {
  const faults: ReportedFault[] = []
  const warnings: ReportedWarning[] = []
  const warn = (warning: ReportedWarning): void => void warnings.push(warning)
  let App: Class | undefined
  const attempt = async (source: 'module' | 'server', step: () => unknown): Promise<void> => {
    try {
      await step()
    } catch (error) {
      faults.push(...faultsOfError(error, source))
    }
  }
  await attempt('module', async () => (App = await loadApplication(file, options.export)))
  if (App !== undefined) {
    const Loaded = App
    await attempt('server', async () => check(Loaded, await loadOptions(file, options.options)))
    const isWired = faults.length === 0
    if (isWired) warnOfSunsets(Loaded, warn)
    if (isWired && options.contract === true) await attempt('server', () => checkContract(file, Loaded, options, warn))
    if (isWired && options.env !== undefined) await attempt('server', () => checkEnvironment(Loaded, options.env!, warn))
  }
  const located = App === undefined ? faults : await locateFaults(App, faults)
  return checkReport(file, located, warnings, App?.name)
}

const cureOfEnd = 'Export the plugin class from a module that neither starts a server nor ends the process.'
const waitsForever = 'or waits at its top level for a promise that never settles'

/** Returns the text about a process that ended before its command was over. */
export function textOfEnd(end: Outcome['end']): string {
  return `The process ended (${end}) before the command was over: a module of the application ended it, ${waitsForever}. ${cureOfEnd}`
}

/** Returns the report about a process that ended before the check was over. */
export function reportOfEnd(file: string, end: Outcome['end']): CheckReport {
  const code = 'PROCESS_ENDED'
  return checkReport(file, [{ source: 'module', code, message: textOfEnd(end), cure: cureOfEnd, docs: docsOf(code) }])
}

/** Returns the report for a command with wrong arguments. */
export function reportOfMisuse(file: string, error: unknown): CheckReport {
  return checkReport(file, faultsOfError(error, 'server'))
}

function checkReport(
  file: string,
  faults: readonly ReportedFault[],
  warnings: readonly ReportedWarning[] = [],
  application?: string,
): CheckReport {
  const named = application === undefined ? {} : { application }
  return { version: 1, ok: faults.length === 0, module: file, ...named, faults, warnings }
}
