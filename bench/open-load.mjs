/**
 * An open loop: requests are sent at the times of a random arrival process, whatever the server does. Latency counts from the time at
 * which a request was due, also if it had to wait for a connection: a server that stalls does not hide the requests that it keeps waiting
 * (no "coordinated omission").
 */
import { Latencies } from './latencies.mjs'

/** ms of a window of `windows`. */
const WINDOW = 100

/** Arrival times of a Poisson process of so many per second, the same in each run; in ms. */
function arrivals(start, perSecond) {
  let state = 7
  let at = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    at += (-Math.log((state + 1) / 2 ** 32) / perSecond) * 1000
    return at
  }
}

/** Timers are too coarse, so the process polls: it needs a core of its own. */
function nextTurn() {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** The requests that are due within a time, and what became of them. */
class Phase {
  latencies = new Latencies()
  /** How late a request was sent although a connection was free: the fault of this process. */
  late = new Latencies()
  due = 0
  answered = 0
  gaveUp = 0
  #windows = []
  #start

  constructor(start) {
    this.#start = start
  }

  #windowOf(due) {
    return (this.#windows[Math.floor((due - this.#start) / WINDOW)] ??= { times: [], gaveUp: 0 })
  }

  addAnswer(due, ms) {
    this.answered += 1
    this.latencies.add(ms)
    this.#windowOf(due).times.push(ms)
  }

  addFailure(due) {
    this.gaveUp += 1
    this.#windowOf(due).gaveUp += 1
  }

  summary() {
    const windows = Array.from(this.#windows, ({ times, gaveUp } = { times: [], gaveUp: 0 }) => {
      const sorted = times.toSorted((a, b) => a - b)
      return { answered: sorted.length, gaveUp, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
    })
    const { due, answered, gaveUp } = this
    return { due, answered, gaveUp, ...this.latencies.percentiles(), late: this.late.percentiles(), windows }
  }
}

export class OpenLoad {
  #idle
  #makeSlot
  #mayOpen
  #patience
  /** What is due and has no connection yet, from `#head` on. */
  #waiting = []
  #head = 0
  #inFlight = new Set()

  /**
   * @param most the connections that are opened at most if all of `slots` are busy
   * @param patience ms after which a client gives its request up
   */
  constructor({ slots, makeSlot, most = slots.length, patience = Infinity }) {
    this.#idle = slots
    this.#makeSlot = makeSlot
    this.#mayOpen = most - slots.length
    this.#patience = patience
  }

  /** Sends `perSecond` requests for so many seconds, phase after phase, until all are answered or given up. */
  async run(phases) {
    const found = []
    for (const { perSecond, seconds } of phases) {
      const start = performance.now()
      const end = start + seconds * 1000
      const phase = new Phase(start)
      found.push(phase)
      const next = arrivals(start, perSecond)
      for (let due = next(); due < end; await nextTurn()) {
        const now = performance.now()
        for (; due <= now && due < end; due = next()) this.#add({ phase, due }, now)
        this.#giveUp(now)
      }
    }
    while (this.#inFlight.size > 0 || this.#head < this.#waiting.length) {
      this.#giveUp(performance.now())
      await nextTurn()
    }
    return found.map((phase) => phase.summary())
  }

  #add(request, now) {
    request.phase.due += 1
    const slot = this.#idle.pop()
    if (slot === undefined) {
      this.#waiting.push(request)
      if (this.#mayOpen > 0) this.#open()
      return
    }
    request.phase.late.add(now - request.due)
    this.#send(slot, request)
  }

  #open() {
    this.#mayOpen -= 1
    const slot = this.#makeSlot()
    slot.ready().then(
      () => this.#release(slot),
      () => (this.#mayOpen += 1),
    )
  }

  #release(slot) {
    if (this.#head < this.#waiting.length) this.#send(slot, this.#waiting[this.#head++])
    else this.#idle.push(slot)
  }

  #send(slot, { phase, due }) {
    const entry = { slot, due, isDropped: false }
    this.#inFlight.add(entry)
    slot.send((isAnswered) => {
      this.#inFlight.delete(entry)
      if (isAnswered) phase.addAnswer(due, performance.now() - due)
      else phase.addFailure(due)
      this.#release(slot)
    })
  }

  #giveUp(now) {
    if (this.#patience === Infinity) return
    while (this.#head < this.#waiting.length && now - this.#waiting[this.#head].due > this.#patience) {
      const { phase, due } = this.#waiting[this.#head++]
      phase.addFailure(due)
    }
    // In the order in which they were sent, which is nearly that in which they were due.
    for (const entry of this.#inFlight) {
      if (now - entry.due <= this.#patience) break
      if (!entry.isDropped) entry.slot.drop()
      entry.isDropped = true
    }
  }
}
