/** What only toolchains with constructor metadata can run: classes that name what they take by their constructor's types. */
import { Controller, Get, Injectable, Plugin } from 'alcove'

@Injectable()
class Clock {
  now(): number {
    return 42
  }
}

@Injectable()
class Dates {
  constructor(private readonly clock: Clock) {}
  today(): number {
    return this.clock.now()
  }
}

@Controller()
class DatesController {
  constructor(private readonly dates: Dates) {}

  @Get('/today')
  today() {
    return { today: this.dates.today() }
  }
}

@Plugin({ providers: [Clock, Dates], routes: [DatesController] })
export class DatesApp {}
