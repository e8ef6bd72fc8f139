/**
 * Returns the last line of a report of faults: the command that explains the codes of the faults in the report; `undefined` if no fault has
 * a code. `For an explanation: npx alcove errors PROVIDER_UNKNOWN`.
 */
export function explanationLine(codes: readonly (string | undefined)[]): string | undefined {
  const kinds = new Set(codes.filter((code) => code !== undefined))
  return kinds.size === 0 ? undefined : `For an explanation: npx alcove errors ${[...kinds].join(' ')}`
}
