import { createHistogram } from 'node:perf_hooks'

/** Times in ms, kept as a histogram of µs with three significant figures. */
export class Latencies {
  #histogram = createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 3 })

  add(ms) {
    this.#histogram.record(Math.max(1, Math.round(ms * 1000)))
  }

  get count() {
    return this.#histogram.count
  }

  percentiles() {
    const at = (part) => this.#histogram.percentile(part) / 1000
    return { p50: at(50), p99: at(99), p999: at(99.9) }
  }
}
