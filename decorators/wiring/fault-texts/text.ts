/** The form of the texts of faults, and sentences that several texts contain. */

/** The place, the problem and the cure of a fault, without its code. */
export interface FaultText {
  readonly place: string
  readonly problem: string
  readonly cure: string
}

export const at = (place: string, problem: string, cure: string): FaultText => ({ place, problem, cure })

/** The import to write so that one plugin sees the declarations of another. */
export interface Sharing {
  /** The plugin to import, as code: `UsersPlugin`, or `use(UsersPlugin, …)`. */
  readonly plugin: string
  /** The name of the plugin that must contain the import. */
  readonly importer: string
  /** The name of the plugin from which the import must be removed, if this is another plugin than `importer`. */
  readonly insteadOf: string | undefined
}

/** A shared schema that a plugin lists in `schemas`, or refers to with `ref`. */
export interface SchemaUse {
  /** The name of the class. */
  readonly name: string
  /** The path of the plugin. */
  readonly place: string
  readonly isListed: boolean
}

/** Returns the end of a cure, which says to share the plugin with the missing declaration, and by which import if `how` is known. */
export function sharing(how: Sharing | undefined): string {
  if (how === undefined) return 'share that plugin.'
  const { plugin, importer, insteadOf } = how
  return `share that plugin: write imports: [shared(${plugin})] in ${importer}${insteadOf === undefined ? '' : `, instead of its import in ${insteadOf}`}.`
}

/**
 * Returns the last sentence of a cure in a test that mounts only some plugins of an application, because an ancestor that is not mounted
 * may have the missing declaration; otherwise an empty text.
 * @param option the option of `testServer` to write: `schemas: [Ticket]`
 */
export function orInTest(isMountedAlone: boolean | undefined, option: string): string {
  return isMountedAlone ? ` If an ancestor that the test does not mount has it, write testServer(…, { ${option} }).` : ''
}

export const list = (names: readonly string[]): string => names.join(', ')
