/** The form of the texts of faults. */

/** The place, the problem and the cure of a fault, without its code. */
export interface FaultText {
  readonly place: string
  readonly problem: string
  readonly cure: string
}

export const at = (place: string, problem: string, cure: string): FaultText => ({ place, problem, cure })

/** The import that would show what one plugin declares to another. */
export interface Sharing {
  /** The imported plugin, as it is written: `UsersPlugin`, or `use(UsersPlugin, …)`. */
  readonly plugin: string
  /** Name of the plugin that has to write the import. */
  readonly importer: string
  /** Name of the plugin whose import is replaced by this one, if that is another plugin than `importer`. */
  readonly insteadOf: string | undefined
}

/** A shared schema that a plugin lists in `schemas`, or refers to with `ref`. */
export interface SchemaUse {
  /** Name of the class. */
  readonly name: string
  /** Path of the plugin. */
  readonly place: string
  readonly isListed: boolean
}

/** Returns the end of a cure that says how to share the plugin with the declaration that is missing. */
export function sharing(how: Sharing | undefined): string {
  if (how === undefined) return 'share that plugin.'
  const { plugin, importer, insteadOf } = how
  return `share that plugin: write imports: [shared(${plugin})] in ${importer}${insteadOf === undefined ? '' : `, instead of its import in ${insteadOf}`}.`
}

/**
 * Returns the end of a cure in a test that mounts only some plugins of an application: an ancestor that is not mounted may have the declaration.
 * @param option option of `testServer` to write: `schemas: [Ticket]`
 */
export function orInTest(isMountedAlone: boolean | undefined, option: string): string {
  return isMountedAlone ? ` If an ancestor that the test does not mount has it, write testServer(…, { ${option} }).` : ''
}

export const list = (names: readonly string[]): string => names.join(', ')
