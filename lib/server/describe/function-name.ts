/** The names of functions in descriptions. */

/** Returns the name of a function, without the `bound` of functions that were bound; `anonymous` if it has none. */
export function functionName({ name }: { readonly name: string }): string {
  return name.replace(/^(?:bound )+/, '') || 'anonymous'
}
