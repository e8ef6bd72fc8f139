/** Numbers from many measurements. */

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * The second lowest of ten values: the median of many more such values is above it with a certainty of 98.9 %, because that is how certainly
 * two or more of ten values are below their median. `undefined` for another number of values.
 */
export function lowerBound(values) {
  return values.length === 10 ? values.toSorted((a, b) => a - b)[1] : undefined
}

/** The median, the lowest and the highest. */
export function spreadOf(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) }
}
