/** The most characters that a key may have to be kept. Longer keys are rarely sent twice, and would take most of the memory. */
const MAX_KEY_LENGTH = 256

/** A cache whose keys come from requests. It is bounded because clients choose the keys. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #maxEntries: number

  /** Makes an empty cache. @param maxEntries when there are that many entries, each new entry replaces the oldest */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): void {
    if (key.length > MAX_KEY_LENGTH) return
    if (this.#entries.size === this.#maxEntries) this.#entries.delete(this.#entries.keys().next().value!)
    this.#entries.set(key, value)
  }

  clear(): void {
    this.#entries.clear()
  }
}
