/** The warnings of ajv about schemas that compile, such as a keyword that does not apply to the type. */

type Warn = (text: string) => void

const asProcessWarning: Warn = (text) => process.emitWarning(text, 'AlcoveWarning')

/** Takes the warnings about the schema that is being compiled. */
let current: Warn = asProcessWarning

const pass = (text: unknown): void => current(String(text))

/** The logger for ajv's option `logger`. ajv throws the faults of a schema, but only logs them with its option `validateSchema: 'log'`. */
export const ajvLogger = { log: pass, error: pass, warn: pass }

/**
 * Compiles a schema, and passes on the warnings of ajv: each once, although a schema may be compiled more than once, for several passes.
 * @param warn takes the warnings; `undefined`: they are warnings of the process
 * @param where the route and the part, for the warnings: `POST /users body`
 */
export function withWarnings<T>(warn: Warn | undefined, where: string, compile: () => T): T {
  const given = new Set<string>()
  current = (text) => {
    if (given.has(text)) return
    given.add(text)
    ;(warn ?? asProcessWarning)(`${where}: ${text}`)
  }
  try {
    return compile()
  } finally {
    current = asProcessWarning
  }
}
