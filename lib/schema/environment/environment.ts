/** Configuration from environment variables: classes whose instances have the variables that a schema names, validated and with types. */
import { errorCodes } from '../../errors/codes.js'
import type { RequestPartType } from '../../types/schema.js'
import { inspect } from '../../util/node/modules.js'
import { type EnvironmentProblem, EnvironmentReader, type EnvironmentVariables } from './reader.js'

/** The type of the base classes that {@link environment} returns. */
export interface EnvironmentClass<S> {
  /**
   * Reads the variables of the schema, by default from `process.env`.
   * @throws ALC_ERR_ENVIRONMENT_INVALID with all variables that are missing or invalid
   */
  new (variables?: EnvironmentVariables): Readonly<RequestPartType<S>>
  readonly schema: S
}

const kReader = Symbol('alcove.environment')

/** A class that {@link environment} made, or a subclass of such a class. */
interface ReadingClass {
  readonly [kReader]: EnvironmentReader
}

/**
 * Makes a base class of configurations. An instance reads `process.env`, or the variables that it is given. It has the variables that the
 * schema names, as numbers and booleans if the schema says so, with their defaults. The class can be a provider.
 * ```ts
 * class Config extends environment({
 *   type: 'object',
 *   required: ['DATABASE_URL'],
 *   properties: {
 *     PORT: { type: 'integer', minimum: 0, maximum: 65_535, default: 3000 },
 *     DATABASE_URL: { type: 'string', format: 'uri', writeOnly: true },
 *   },
 * }) {}
 *
 * @Plugin({ providers: [Config] })                   // injected as config: Config
 * class App {}
 * const { PORT } = new Config()                      // or read where there is no provider; PORT is a number
 * new Config({ DATABASE_URL: 'postgres://localhost/test' })   // in a test
 * ```
 * Variables are texts, and are coerced as the texts of a query string are: `'3000'` to a number, `'true'` to a boolean. An empty variable
 * counts as not set. Variables that the schema does not name are left out. All missing and invalid variables are reported together, and no
 * report contains a value. `writeOnly: true` (JSON Schema) marks a secret, also behind a reference or in an alternative: a log or print of
 * the configuration, and a copy by `{ ...config }`, does not have its value.
 * @param schema the schema of an object, as JSON Schema, in shorthand, or of a synchronous library. Each variable is one text, so no
 * variable is a list or an object.
 * @throws ALC_ERR_ENVIRONMENT_SCHEMA_INVALID for any other schema
 */
export function environment<const S extends object>(schema: S): EnvironmentClass<S> {
  const reader = new EnvironmentReader(schema)
  class Environment {
    static readonly schema = schema
    // Nothing is injected for the variables, which have a default.
    static readonly inject = [] as const
    static readonly [kReader] = reader
    constructor(variables: EnvironmentVariables = process.env) {
      const { values, problems } = reader.read(variables)
      if (problems.length > 0) throw environmentError(problems.map((problem) => textOfProblem(problem, new.target.name)))
      // A logger copies the members of an object that is logged as the values of a line, and asks for no toJSON.
      for (const [name, value] of Object.entries(values)) Object.defineProperty(this, name, { value, enumerable: !reader.isSecret(name) })
    }
    toJSON(): Record<string, unknown> {
      return reader.withoutSecrets(this)
    }
    [inspect.custom](): Record<string, unknown> {
      return reader.withoutSecrets(this)
    }
  }
  return Environment as unknown as EnvironmentClass<S> // the types of the variables are only in the interface
}

/** Whether a value is a class that {@link environment} made, or a subclass of such a class. */
export function isEnvironmentClass(value: unknown): value is ReadingClass {
  return typeof value === 'function' && kReader in value
}

/**
 * Finds the problems of variables for a class: variables that are missing or invalid. Nothing is constructed.
 * @param known the names of variables that other classes read
 */
export function findEnvironmentProblems(
  { [kReader]: reader }: ReadingClass,
  variables: EnvironmentVariables,
  known?: readonly string[],
): EnvironmentProblem[] {
  return reader.read(variables, known).problems
}

/** Returns the names of the variables that a class reads; `undefined` if the library of its schema does not tell the names. */
export function environmentNames({ [kReader]: { names } }: ReadingClass): readonly string[] | undefined {
  return names
}

/** Writes a problem of a variable as a text: `PORT (App > Config) must be a whole number.` */
export function textOfProblem({ variable, text }: EnvironmentProblem, place: string): string {
  return `${variable ?? 'The environment'} (${place}) ${text}`
}

/** Makes the error that fails a boot, from problems that {@link textOfProblem} has written. */
export function environmentError(problems: readonly string[]): Error {
  const count = problems.length === 1 ? 'a fault' : `${problems.length} faults`
  const error = new errorCodes.ALC_ERR_ENVIRONMENT_INVALID(count, problems.map((problem) => `  - ${problem}`).join('\n'))
  // A stack trace would only show where in the framework the variables were read.
  error.stack = String(error)
  return error
}
