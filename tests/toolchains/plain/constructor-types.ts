/** The classes of ../src/constructor-types.ts without decorator syntax. Nothing emits the types of their constructors. */
import { Controller, Get, Plugin } from 'alcove'

class Clock {
  now(): number {
    return 42
  }
}

class Dates {
  readonly #clock: Clock
  constructor(clock: Clock) {
    this.#clock = clock
  }
  today(): number {
    return this.#clock.now()
  }
}

class DatesController {
  static {
    Controller()(this)
    Get('/today')(this.prototype, 'today')
  }
  readonly #dates: Dates
  constructor(dates: Dates) {
    this.#dates = dates
  }

  today() {
    return { today: this.#dates.today() }
  }
}

export class DatesApp {
  static {
    Plugin({ providers: [Clock, Dates], routes: [DatesController] })(this)
  }
}
