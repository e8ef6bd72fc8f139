/** characters; longer keys are hardly sent over and over, and would be most of what is kept */
const LONGEST_KEY = 256

/** A memory for what requests bring along: bounded, since whoever sends them chooses the keys. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #size: number

  /** @param size how many entries are kept; the oldest go first */
  constructor(size: number) {
    this.#size = size
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): void {
    if (key.length > LONGEST_KEY) return
    if (this.#entries.size === this.#size) this.#entries.delete(this.#entries.keys().next().value!)
    this.#entries.set(key, value)
  }

  clear(): void {
    this.#entries.clear()
  }
}
