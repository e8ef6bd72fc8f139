/**
 * Packs plain data so that equal objects and lists are written once. An explanation repeats schemas, hooks and lists of providers in each
 * route, so the page for 1,000 routes becomes much smaller.
 */

/**
 * Packed data: a table of the distinct objects and lists in the data. An entry refers to another object or list by its position in the
 * table, written as a list with one number: `[7]`. Each entry comes after the entries to which it refers, and the last entry is the whole
 * data.
 */
export type Packed = readonly unknown[]

/** Packs plain data. Values that `JSON.stringify` leaves out are left out. */
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

/** Restores the data that {@link pack} packed. Equal objects and lists become the same object. The table is changed. */
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
