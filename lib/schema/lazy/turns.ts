/**
 * Spreads the compilation of schemas over the turns of the event loop: one in a turn. A process that has just started may get first
 * requests for many routes at once, and would otherwise serve nothing else until all of their schemas are compiled.
 */

// Tests of an application may replace the global function by one that waits for them.
const inNextTurn = setImmediate

/** The compilations that wait for their turn, in the order in which they were asked for. */
const queue: (() => void)[] = []
/** Whether a schema was compiled in this turn of the event loop, or is to be compiled in the next turns. */
let isTaken = false
/** Whether a schema was compiled since the last look at the queue. */
let hasCompiled = false

/** Notes that a schema was compiled. Called after each compilation. */
export function noteCompilation(): void {
  hasCompiled = true
  if (isTaken) return
  isTaken = true
  inNextTurn(compileNext)
}

export function isTurnTaken(): boolean {
  return isTaken
}

/** Runs a compilation in a later turn of the event loop, when it is its turn. The present turn must be taken. */
export function compileLater(compile: () => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    queue.push(() => {
      try {
        compile()
        resolve()
      } catch (error) {
        reject(error)
      }
    })
  })
}

/**
 * Compiles the next schema that waits, unless one was compiled since the last call. Runs once in each turn, after the events of sockets.
 */
function compileNext(): void {
  if (!hasCompiled) queue.shift()?.()
  isTaken = hasCompiled || queue.length > 0
  hasCompiled = false
  if (isTaken) inNextTurn(compileNext)
}
