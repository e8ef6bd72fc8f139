/**
 * An entry of a {@link LinkedList}. The entry itself has the links to its neighbours, so that adding and removing it costs only a few
 * changes of pointers, and no memory. (A `Set` of the requests that are being served made the garbage collector do twice the work.)
 */
export interface ListEntry {
  [kPrevious]: ListEntry | undefined
  [kNext]: ListEntry | undefined
}

export const kPrevious = Symbol('alcove.previous')
export const kNext = Symbol('alcove.next')

export class LinkedList<Entry extends ListEntry> {
  #first: ListEntry | undefined
  #last: ListEntry | undefined
  size = 0

  /** The entry that was added first. */
  get first(): Entry | undefined {
    return this.#first as Entry | undefined
  }

  /** Adds an entry, which must not be in a list, at the end. */
  add(entry: Entry): void {
    entry[kPrevious] = this.#last
    if (this.#last === undefined) this.#first = entry
    else this.#last[kNext] = entry
    this.#last = entry
    this.size++
  }

  /** Removes an entry, which must be in this list. */
  remove(entry: Entry): void {
    const { [kPrevious]: previous, [kNext]: next } = entry
    if (previous === undefined) this.#first = next
    else previous[kNext] = next
    if (next === undefined) this.#last = previous
    else next[kPrevious] = previous
    entry[kPrevious] = entry[kNext] = undefined
    this.size--
  }

  /** Returns the entries, in the order in which they were added, as an array. The list may be changed while the array is iterated. */
  toArray(): Entry[] {
    const entries: Entry[] = []
    for (let entry = this.#first; entry !== undefined; entry = entry[kNext]) entries.push(entry as Entry)
    return entries
  }
}
