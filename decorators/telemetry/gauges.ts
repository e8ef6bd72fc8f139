/**
 * Gauges of applications and of the event loop, which are measured only when a metric reader collects them. Without a reader nothing is
 * measured.
 */
import { type EventLoopUtilization, type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { BatchObservableResult, Meter, Observable } from '@opentelemetry/api'
import type { ObservedFigures } from '../../lib/index.js'

/** The statistics of the event loop's delay, by their names in the semantic conventions of Node. */
const delays = {
  min: (histogram) => histogram.min,
  max: (histogram) => histogram.max,
  mean: (histogram) => histogram.mean,
  stddev: (histogram) => histogram.stddev,
  p50: (histogram) => histogram.percentile(50),
  p90: (histogram) => histogram.percentile(90),
  p99: (histogram) => histogram.percentile(99),
} satisfies Record<string, (histogram: IntervalHistogram) => number>

/** The gauges of all applications that share an observer. */
export class Gauges {
  readonly #meter: Meter
  readonly #scopes: Observable
  readonly #jobs: Observable
  readonly #loop: EventLoop | undefined
  readonly #watched = new Set<ObservedFigures>()
  readonly #observeAll = (result: BatchObservableResult): Promise<void> => this.#observe(result)

  constructor(meter: Meter, measuresLoop: boolean) {
    this.#meter = meter
    const scopes = { unit: '{scope}', description: 'Open scopes of requests and of work that is no request' }
    this.#scopes = meter.createObservableUpDownCounter('alcove.scopes.open', scopes)
    const jobs = { unit: '{job}', description: 'Jobs of a queue in all processes, by their state' }
    this.#jobs = meter.createObservableUpDownCounter('alcove.queue.jobs', jobs)
    this.#loop = measuresLoop ? new EventLoop(meter) : undefined
  }

  /** Starts observing an application. @returns a function that stops observing */
  watch(figures: ObservedFigures): () => void {
    if (this.#watched.size === 0) {
      this.#meter.addBatchObservableCallback(this.#observeAll, [this.#scopes, this.#jobs])
      this.#loop?.start()
    }
    this.#watched.add(figures)
    return () => {
      if (!this.#watched.delete(figures) || this.#watched.size > 0) return
      this.#meter.removeBatchObservableCallback(this.#observeAll, [this.#scopes, this.#jobs])
      this.#loop?.stop()
    }
  }

  async #observe(result: BatchObservableResult): Promise<void> {
    const all = [...this.#watched]
    result.observe(
      this.#scopes,
      all.reduce((sum, figures) => sum + figures.openScopes(), 0),
    )
    // Applications may share a store: the last one that counts a queue wins.
    for (const queues of await Promise.all(all.map((figures) => figures.queues())))
      for (const { name, waiting, active } of queues) {
        result.observe(this.#jobs, waiting, { 'alcove.queue': name, 'alcove.job.state': 'waiting' })
        result.observe(this.#jobs, active, { 'alcove.queue': name, 'alcove.job.state': 'active' })
      }
  }
}

/** Measures the delay and the utilization of the event loop since the last collection. */
class EventLoop {
  readonly #meter: Meter
  readonly #delays: ReadonlyMap<Observable, (histogram: IntervalHistogram) => number>
  readonly #utilization: Observable
  #histogram: IntervalHistogram | undefined
  #last: EventLoopUtilization | undefined

  constructor(meter: Meter) {
    this.#meter = meter
    const description = 'Delay of the event loop'
    this.#delays = new Map(
      Object.entries(delays).map(([name, read]) => [
        meter.createObservableGauge(`nodejs.eventloop.delay.${name}`, { unit: 's', description }),
        read,
      ]),
    )
    this.#utilization = meter.createObservableGauge('nodejs.eventloop.utilization', {
      unit: '1',
      description: 'Utilization of the event loop',
    })
  }

  get #all(): Observable[] {
    return [...this.#delays.keys(), this.#utilization]
  }

  start(): void {
    this.#meter.addBatchObservableCallback(this.#observe, this.#all)
  }

  stop(): void {
    this.#meter.removeBatchObservableCallback(this.#observe, this.#all)
    this.#histogram?.disable()
    this.#histogram = undefined
    this.#last = undefined
  }

  // Measuring begins when metrics are first collected: without a reader it would be for nothing.
  readonly #observe = (result: BatchObservableResult): void => {
    const histogram = this.#histogram
    const now = performance.eventLoopUtilization()
    if (histogram === undefined) {
      this.#histogram = monitorEventLoopDelay()
      this.#histogram.enable()
    } else {
      if (histogram.count > 0) for (const [gauge, read] of this.#delays) result.observe(gauge, read(histogram) / 1e9)
      histogram.reset()
      result.observe(this.#utilization, performance.eventLoopUtilization(now, this.#last).utilization)
    }
    this.#last = now
  }
}
