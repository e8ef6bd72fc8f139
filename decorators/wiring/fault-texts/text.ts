/** The form of the texts of faults. */

/** A fault without its code. */
export interface FaultText {
  readonly place: string
  readonly problem: string
  readonly cure: string
}

export const at = (place: string, problem: string, cure: string): FaultText => ({ place, problem, cure })

/** The import that would show what one plugin declares to another. */
export interface Sharing {
  /** Its plugin, as it is written: `UsersPlugin`, or `use(UsersPlugin, …)`. */
  readonly plugin: string
  /** The plugin that has to import it. */
  readonly importer: string
  /** The plugin whose import it replaces, if that is another. */
  readonly insteadOf: string | undefined
}

/** The end of a cure: how to share the plugin that has it. */
export function sharing(how: Sharing | undefined): string {
  if (how === undefined) return 'share that plugin.'
  const { plugin, importer, insteadOf } = how
  return `share that plugin: write imports: [shared(${plugin})] in ${importer}${insteadOf === undefined ? '' : `, instead of its import in ${insteadOf}`}.`
}

/**
 * The end of a cure in a test that mounts a part of an application: the ancestors that may declare it are missing.
 * @param option of `testServer`: `schemas: [Ticket]`
 */
export function orInTest(isPart: boolean | undefined, option: string): string {
  return isPart ? ` If an ancestor that the test does not mount has it, write testServer(…, { ${option} }).` : ''
}

export const list = (names: readonly string[]): string => names.join(', ')
