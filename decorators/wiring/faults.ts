import { explanationLine } from '../../lib/internal.js'
import { accessFaults } from './fault-texts/access.js'
import { declarationFaults } from './fault-texts/declarations.js'
import { dependencyFaults } from './fault-texts/dependencies.js'
import { jobFaults } from './fault-texts/jobs.js'
import type { FaultText } from './fault-texts/text.js'

/**
 * A fault in the wiring of an application. All faults are collected and thrown together, as one {@link WiringError}. The message names the
 * problem, its place (the path of the context) and the cure.
 * ```ts
 * const fault: Fault = {
 *   code: 'PROVIDER_UNKNOWN',
 *   place: 'App > Api > Users', path: ['App', 'Api', 'Users'],
 *   message: 'Users (in App > Api) asks for Db, which no plugin provides. Add it to the providers of Api or of an ancestor.',
 *   cure: 'Add it to the providers of Api or of an ancestor.',
 *   docs: 'docs/reference/errors.md#provider_unknown',
 * }
 * ```
 */
export interface Fault {
  /** The kind of the fault: `PROVIDER_NOT_VISIBLE`. docs/reference/errors.md lists all kinds. */
  readonly code: FaultCode
  /** The place of the fault: the names from the application to the plugin, class or method, such as `App > Api > Users.find`. */
  readonly place: string
  /** The names in `place` as a list. */
  readonly path: readonly string[]
  /** The text of the fault: the problem, its place and the cure. */
  readonly message: string
  /** The cure: the last sentences of the message, which say what to write instead. */
  readonly cure: string
  /** The documentation of this kind of fault: a file of the package, with an anchor. */
  readonly docs: string
}

/** The functions that make the texts of faults, by code of the fault. */
export const faults = { ...declarationFaults, ...dependencyFaults, ...accessFaults, ...jobFaults } as const

export type FaultCode = keyof typeof faults

/** Creates a fault of the kind `code`, with its texts. @param args the arguments of the function in `faults` that makes the texts */
export function fault<C extends FaultCode>(code: C, ...args: Parameters<(typeof faults)[C]>): Fault {
  const { place, problem, cure } = (faults[code] as (...args: unknown[]) => FaultText)(...args)
  return { code, place, path: place.split(' > '), message: `${problem} ${cure}`, cure, docs: docsOf(code) }
}

/** Returns the place in the documentation that describes an error or fault: `docs/reference/errors.md#provider_unknown`. */
export function docsOf(code: string): string {
  return `docs/reference/errors.md#${code.toLowerCase()}`
}

/**
 * The error of an application whose wiring is wrong. `check`, `bootstrap` and `testServer` throw this error before anything is constructed.
 * Some faults are found only while the application boots, such as a plugin function that does not add the decorators that `use` lists for it.
 */
export class WiringError extends Error {
  readonly code = 'ALC_ERR_WIRING'
  /** All faults of the wiring; the message lists them too, and names the command that explains them. */
  readonly faults: readonly Fault[]

  constructor(application: string, found: readonly Fault[]) {
    const title = found.length === 1 ? `The wiring of ${application} is wrong:` : `The wiring of ${application} has ${found.length} faults:`
    const lines = [title, ...found.map(({ message }) => `  - ${message}`), explanationLine(found.map(({ code }) => code))]
    super(lines.join('\n'))
    this.faults = found
    // A stack trace would only show where in the framework the faults were found.
    this.stack = `${this.name}: ${this.message}`
  }
  override get name(): string {
    return 'WiringError'
  }
}

/** The error that `resolve` throws for a token that is not visible in the context, or whose provider has no instance. */
export class ResolutionError extends Error {
  readonly code = 'ALC_ERR_RESOLUTION'
  override get name(): string {
    return 'ResolutionError'
  }
}
