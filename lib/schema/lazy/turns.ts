/**
 * Spreads the compilation of schemas over the turns of the event loop: one schema in a turn. A process that has just started may get first
 * requests for many routes at once, and would otherwise serve nothing else until all their schemas are compiled.
 */

// Tests of an application may replace the global function by one that waits for them.
const inNextTurn = setImmediate

/** The compilations that wait for a turn of the event loop, in the order in which they were requested. */
const queue: (() => void)[] = []
/**
 * Whether a schema was compiled in this turn of the event loop, or compilations wait, so that a further schema has to wait for a later
 * turn.
 */
let isTaken = false
/** Whether a schema was compiled since the queue was last checked. */
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

/** Runs a compilation in a later turn of the event loop, after those that wait already. Call this only if `isTurnTaken()` is true. */
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
 * Compiles the next schema in the queue, unless a schema was compiled since the last call. Runs once in each turn, after the events of
 * sockets.
 */
function compileNext(): void {
  if (!hasCompiled) queue.shift()?.()
  isTaken = hasCompiled || queue.length > 0
  hasCompiled = false
  if (isTaken) inNextTurn(compileNext)
}
