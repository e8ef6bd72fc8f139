/** How descriptions name functions. */

/** The name of a function, also of one that was bound. */
export function nameOf({ name }: { readonly name: string }): string {
  return name.replace(/^(?:bound )+/, '') || 'anonymous'
}
