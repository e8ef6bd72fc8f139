/**
 * A list whose entries hold their own links: to add and to remove one costs a few changes of pointers, and no memory. (A `Set` of the
 * requests that are being served made the garbage collector do twice the work.)
 */
export interface ListEntry {
  [kPrevious]: ListEntry | undefined
  [kNext]: ListEntry | undefined
}

export const kPrevious = Symbol('alcove.previous')
export const kNext = Symbol('alcove.next')

export class LinkedList<Entry extends ListEntry> {
  #first: ListEntry | undefined
  size = 0

  /** Adds an entry, which must not be in a list. */
  add(entry: Entry): void {
    entry[kNext] = this.#first
    if (this.#first !== undefined) this.#first[kPrevious] = entry
    this.#first = entry
    this.size++
  }

  /** Removes an entry, which must be in this list. */
  remove(entry: Entry): void {
    const { [kPrevious]: previous, [kNext]: next } = entry
    if (previous === undefined) this.#first = next
    else previous[kNext] = next
    if (next !== undefined) next[kPrevious] = previous
    entry[kPrevious] = entry[kNext] = undefined
    this.size--
  }

  /** The entries, the latest first. Entries may be removed meanwhile. */
  toArray(): Entry[] {
    const entries: Entry[] = []
    for (let entry = this.#first; entry !== undefined; entry = entry[kNext]) entries.push(entry as Entry)
    return entries
  }
}
