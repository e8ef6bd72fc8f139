/** The names of functions in descriptions. */

/**
 * Returns the name of a function, without the word `bound` that Node puts in front of the name of a bound function; `anonymous` if it has
 * none.
 */
export function functionName({ name }: { readonly name: string }): string {
  return name.replace(/^(?:bound )+/, '') || 'anonymous'
}
