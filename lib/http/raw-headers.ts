/** Headers as they were sent. Node keeps the first of some that are sent twice; whoever forwarded the request may have read the last. */

/** @param name lower case */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!
    if (given.length === name.length && given.toLowerCase() === name && ++count > 1) return true
  }
  return false
}
