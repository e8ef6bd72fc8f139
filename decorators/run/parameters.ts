/**
 * Counts the arguments that a function can read, using its source text, because `length` counts neither rest parameters nor parameters with
 * a default.
 */

type AnyFunction = (...args: any[]) => unknown

const counts = new WeakMap<AnyFunction, number>()

/**
 * Returns the number of arguments that a function can read. `Infinity` if the function has a rest parameter, mentions `arguments`, is
 * native or bound, or has unreadable source text.
 */
export function countParameters(countable: AnyFunction): number {
  let count = counts.get(countable)
  // Request-scoped instances have the same methods in each request.
  if (count === undefined) counts.set(countable, (count = readCount(Function.prototype.toString.call(countable))))
  return count
}

function readCount(source: string): number {
  return /\barguments\b|\[native code\]/.test(source) ? Infinity : countInList(source)
}

/** Matches a comment, a string, three dots, a comma, or a bracket. */
const lexeme = /\/\/.*|\/\*[^]*?\*\/|(['"`])(?:\\[^]|(?!\1)[^])*\1|\.\.\.|[,()[\]{}]/g

/**
 * Counts the parameters in a parameter list. Only commas and three dots at the top level of the list count, not those in patterns and
 * default values. The body of the function is not read.
 */
function countInList(source: string): number {
  // An arrow function of one parameter without parentheses.
  if (/^(?:async\s+)?[\w$]+\s*=>/.test(source)) return 1
  const open: string[] = []
  let commas = 0
  let since = 0
  for (const { 0: found, index } of source.matchAll(lexeme)) {
    const isInList = open.length === 1 && open[0] === '('
    if (found === '...' && isInList) return Infinity
    if (found === ',' && isInList) [commas, since] = [commas + 1, index + 1]
    else if ('([{'.includes(found)) {
      open.push(found)
      if (open.length === 1) since = index + 1
    } else if (')]}'.includes(found)) {
      // The list may end with a comma, or be empty.
      if (open.pop() === '(' && open.length === 0) return source.slice(since, index).trim() === '' ? commas : commas + 1
    }
  }
  // No parameter list was found, for example because a regular expression in a default value contains a bracket.
  return Infinity
}
