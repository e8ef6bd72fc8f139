/** Numbers from many measurements. */

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The median, the lowest and the highest. */
export function spreadOf(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) }
}
