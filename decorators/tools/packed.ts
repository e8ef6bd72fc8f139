/**
 * Packs plain data so that equal parts are written once. An explanation repeats schemas, hooks and lists of providers in each route: packed,
 * the page of 1,000 routes has a small part of the text.
 */

/**
 * The distinct objects and lists of some data, each after the parts that it contains. A part is written as a list with one number, its
 * position: `[7]`. The last entry is the data itself.
 */
export type Packed = readonly unknown[]

/** Packs plain data, as `JSON.parse` returns it. Values that JSON leaves out are left out. */
export function pack(data: object): Packed {
  const table: unknown[] = []
  const positions = new Map<string, number>()
  const known = new WeakMap<object, number>()
  const partOf = (given: unknown): unknown => {
    // A Date, for instance, is a text in JSON.
    const value: unknown = hasJson(given) ? given.toJSON() : given
    if (value === null || typeof value !== 'object') return typeof value === 'function' || typeof value === 'symbol' ? undefined : value
    let position = known.get(value)
    if (position === undefined) known.set(value, (position = add(value)))
    return [position]
  }
  const add = (value: object): number => {
    const entry = Array.isArray(value)
      ? value.map((item) => partOf(item) ?? null)
      : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, partOf(item)]))
    const text = JSON.stringify(entry)
    let position = positions.get(text)
    if (position === undefined) {
      position = table.push(entry) - 1
      positions.set(text, position)
    }
    return position
  }
  add(data)
  return table
}

function hasJson(value: unknown): value is { toJSON(): unknown } {
  return value !== null && typeof value === 'object' && typeof (value as { toJSON?: unknown }).toJSON === 'function'
}

/** Returns the data that {@link pack} packed. The entries of the table are changed. Equal parts are one object. */
export function unpack(table: Packed): unknown {
  for (const entry of table) {
    const parts = entry as Record<string, unknown>
    for (const key of Object.keys(parts)) {
      const part = parts[key]
      if (Array.isArray(part)) parts[key] = table[part[0] as number]
    }
  }
  return table.at(-1)
}
