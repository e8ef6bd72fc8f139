/** The form of the texts of faults. */

/** A fault without its code. */
export interface FaultText {
  readonly place: string
  readonly problem: string
  readonly cure: string
}

export const at = (place: string, problem: string, cure: string): FaultText => ({ place, problem, cure })

export const list = (names: readonly string[]): string => names.join(', ')
