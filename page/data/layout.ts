/** Places the nodes of a graph in columns, so that edges lead to the right. */

export interface Edge {
  readonly from: string
  readonly to: string
}

export interface Placed {
  readonly column: number
  readonly row: number
}

/** Returns the column and the row of each node. Each node is placed right of all nodes that lead to it. */
export function layOut(keys: readonly string[], edges: readonly Edge[]): ReadonlyMap<string, Placed> {
  const columns = columnsOf(keys, edges)
  const rows = new Map<number, string[]>()
  for (const key of keys) rows.set(columns.get(key)!, [...(rows.get(columns.get(key)!) ?? []), key])
  const neighbours = neighboursOf(keys, edges)
  const order = [...rows.keys()].sort((one, other) => one - other)
  const position = new Map<string, number>()
  const note = (column: readonly string[]): void => column.forEach((key, index) => position.set(key, index - column.length / 2))
  for (const column of rows.values()) note(column)
  // Nodes come near the nodes that they are connected with. A few rounds in both directions suffice.
  for (const direction of [order, order.toReversed(), order, order.toReversed()])
    for (const column of direction) {
      const nodes = rows.get(column)!
      const wish = new Map(
        nodes.map((key) => [key, meanOf(neighbours.get(key)!.map((other) => position.get(other)!)) ?? position.get(key)!]),
      )
      nodes.sort((one, other) => wish.get(one)! - wish.get(other)!)
      note(nodes)
    }
  const tallest = Math.max(0, ...[...rows.values()].map(({ length }) => length))
  return new Map(
    order.flatMap((column, at) => {
      const nodes = rows.get(column)!
      return nodes.map((key, index) => [key, { column: at, row: index + (tallest - nodes.length) / 2 }] as const)
    }),
  )
}

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length
}

function neighboursOf(keys: readonly string[], edges: readonly Edge[]): Map<string, string[]> {
  const found = new Map(keys.map((key) => [key, [] as string[]]))
  for (const { from, to } of edges) {
    found.get(from)!.push(to)
    found.get(to)!.push(from)
  }
  return found
}

/** Returns the longest way to each node. An edge that closes a circle does not count. */
function columnsOf(keys: readonly string[], edges: readonly Edge[]): Map<string, number> {
  const incoming = new Map(keys.map((key) => [key, [] as string[]]))
  for (const { from, to } of edges) incoming.get(to)!.push(from)
  const columns = new Map<string, number>()
  const open = new Set<string>()
  const columnOf = (key: string): number => {
    const known = columns.get(key)
    if (known !== undefined) return known
    if (open.has(key)) return -1
    open.add(key)
    const column = Math.max(-1, ...incoming.get(key)!.map(columnOf)) + 1
    columns.set(key, column)
    return column
  }
  for (const key of keys) columnOf(key)
  return drawnTogether(keys, edges, columns)
}

/** Moves each node to the right, up to the nodes that it leads to, so that edges are short. */
function drawnTogether(keys: readonly string[], edges: readonly Edge[], columns: Map<string, number>): Map<string, number> {
  const targets = new Map(keys.map((key) => [key, [] as string[]]))
  for (const { from, to } of edges) targets.get(from)!.push(to)
  for (const key of [...keys].sort((one, other) => columns.get(other)! - columns.get(one)!)) {
    const nearest = Math.min(...targets.get(key)!.map((target) => columns.get(target)!))
    if (Number.isFinite(nearest)) columns.set(key, Math.max(columns.get(key)!, nearest - 1))
  }
  return columns
}

/** The nodes around one: those that it needs to its right, those that need it to its left, the nearest first. */
export function around(
  center: string,
  edges: readonly Edge[],
  most: number,
): { readonly columns: ReadonlyMap<string, number>; readonly left: number } {
  const columns = new Map([[center, 0]])
  let left = 0
  for (const direction of [1, -1]) {
    const next = new Map<string, string[]>()
    for (const { from, to } of edges) {
      const [here, there] = direction === 1 ? [from, to] : [to, from]
      next.set(here, [...(next.get(here) ?? []), there])
    }
    let ring = [center]
    for (let distance = 1; ring.length > 0; distance++) {
      const reached = [...new Set(ring.flatMap((key) => next.get(key) ?? []))].filter((key) => !columns.has(key))
      const room = Math.max(0, most - columns.size)
      left += Math.max(0, reached.length - room)
      ring = reached.slice(0, room)
      for (const key of ring) columns.set(key, distance * direction)
    }
  }
  return { columns, left }
}
