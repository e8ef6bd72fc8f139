/** Numbers from many measurements. */

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * The second lowest of ten values. The median of many more such values is higher with a certainty of 98.9 %: by chance, fewer than two of ten
 * values are below their median in 1.1 % of the cases. `undefined` for another number of values.
 */
export function lowerBound(values) {
  return values.length === 10 ? values.toSorted((a, b) => a - b)[1] : undefined
}

/** The median, the lowest and the highest. */
export function spreadOf(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) }
}
