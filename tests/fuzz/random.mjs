/** A seeded source of choices: the same seed gives the same requests. */
export class Random {
  #state

  constructor(seed) {
    this.#state = seed >>> 0
  }

  /** In [0, 1). (mulberry32) */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  /** A whole number from `least` to `most`. */
  int(least, most) {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(probability) {
    return this.next() < probability
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)]
  }

  list(least, most, make) {
    return Array.from({ length: this.int(least, most) }, (_, index) => make(index))
  }
}
