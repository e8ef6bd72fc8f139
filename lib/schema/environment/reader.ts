/** Reads from the environment the variables that a schema names. */
import { errorCodes } from '../../errors/codes.js'
import type { SchemaErrorDetail, ValidateFunction } from '../../types/compilers.js'
import { isPlainObject } from '../../util/objects.js'
import { nameOfStep } from '../../util/json-pointer.js'
import { nearestName } from '../../util/nearest-name.js'
import { ignoreRejection, isPromiseLike } from '../../util/promises.js'
import { buildValidatorCompiler } from '../ajv/engine.js'
import { completeInput } from '../normalize.js'
import { isStandardSchema, tryToConvert } from '../standard/standard-schema.js'
import { describeVariable } from './describe-variable.js'
import { schemasByVariable } from './variable-schemas.js'

/** Environment variables, as `process.env` has them. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** A problem of a variable: it is missing, invalid or probably misspelt. */
export interface EnvironmentProblem {
  /** The name of the variable; `undefined` for a broken rule about several variables that names none of them. */
  readonly variable: string | undefined
  /**
   * The problem in words, to be read after the name of the variable: `must be a whole number.` The text never contains a value of a
   * variable, which may be a secret.
   */
  readonly text: string
  /** Whole sentences that say what to write. Absent if `text` only says what is wrong, in the words of a library. */
  readonly cure?: string
}

/** The result of reading variables: their problems and their values. Without problems, the values have the types of the schema. */
interface Reading {
  readonly values: Readonly<Record<string, unknown>>
  readonly problems: EnvironmentProblem[]
}

export class EnvironmentReader {
  /** The names of the variables of the schema; `undefined` if the library of the schema does not tell the names. */
  readonly names: readonly string[] | undefined
  readonly #properties: Readonly<Record<string, any>>
  readonly #secrets: ReadonlySet<string>
  /** The names of the members that the schema, or the schema of what its library returns, has. */
  readonly #named: ReadonlySet<string>
  readonly #validate: ValidateFunction

  /** Reads a schema. @throws ALC_ERR_ENVIRONMENT_SCHEMA_INVALID */
  constructor(schema: object) {
    const complete = refusing(() => completeInput(schema, true))
    const json: any = isStandardSchema(complete) ? tryToConvert(complete) : complete
    this.#properties = isPlainObject(json?.properties) ? json.properties : {}
    this.names = json === undefined ? undefined : Object.keys(this.#properties)
    if (this.names?.length === 0)
      throw new errorCodes.ALC_ERR_ENVIRONMENT_SCHEMA_INVALID("it names no variable. Write { PORT: { type: 'integer' } }")
    const compile = buildValidatorCompiler({}, { customOptions: { allErrors: true } })
    this.#validate = refusing(() => compile({ schema: complete, method: '', url: '', httpPart: 'querystring' }))
    const described = refusing(() => describedBy(json))
    for (const [name, schemas] of described) {
      if (isNoText(schemas, isStandardSchema(complete)))
        throw new errorCodes.ALC_ERR_ENVIRONMENT_SCHEMA_INVALID(
          `${name} is a list or an object, but a variable is one text. Write type: 'string', and split or parse it where it is used`,
        )
    }
    // An instance has the values that a library returns, so a mark counts also after a transformation.
    const output = isStandardSchema(complete) ? refusing(() => describedBy(tryToConvert(complete, 'output'))) : []
    this.#named = new Set([...(this.names ?? []), ...[...described, ...output].map(([name]) => name)])
    this.#secrets = new Set([...described, ...output].filter(([, schemas]) => isMarked(schemas)).map(([name]) => name))
  }

  /** @param known the names of variables that other classes read, which are not misspelt names of missing ones */
  read(variables: EnvironmentVariables, known: readonly string[] = []): Reading {
    const values = this.#select(variables)
    const result: unknown = this.#validate(values)
    if (isPromiseLike(result)) {
      ignoreRejection(result)
      throw new errorCodes.ALC_ERR_ENVIRONMENT_SCHEMA_INVALID(
        'it is asynchronous, but a class is constructed at once. Write it without promises',
      )
    }
    if (result !== false) {
      const { value = values } = (isPlainObject(result) ? result : {}) as { value?: Record<string, unknown> }
      return { values: value, problems: [] }
    }
    return { values, problems: this.#problemsOf(this.#validate.errors ?? [], variables, known) }
  }

  /** Returns the variables for a log: the values of secrets are hidden. */
  withoutSecrets(instance: object): Record<string, unknown> {
    // A member that a subclass adds is not a value that was read, and is enumerable.
    const isHidden = (name: string): boolean => this.#secrets.has(name) || !Object.prototype.propertyIsEnumerable.call(instance, name)
    const secrets = Object.getOwnPropertyNames(instance).filter((name) => this.isSecret(name) && isHidden(name))
    return { ...instance, ...Object.fromEntries(secrets.map((name) => [name, '[secret]'])) }
  }

  /**
   * Whether a value that was read is secret: a variable with `writeOnly`. If there is such a variable, a member that no schema names is
   * secret too: a transformation of the library may have made it of the secret.
   */
  isSecret(name: string): boolean {
    return this.#secrets.has(name) || (this.#secrets.size > 0 && !this.#named.has(name))
  }

  /**
   * Selects the variables that the schema names and that are set. An empty variable counts as not set, because deployments pass empty
   * variables.
   */
  #select(variables: EnvironmentVariables): Record<string, unknown> {
    const names = this.names ?? Object.keys(variables)
    return Object.fromEntries(names.map((name) => [name, variables[name]]).filter(([, value]) => value !== undefined && value !== ''))
  }

  /**
   * Makes one problem for each variable. (ajv reports one error for each keyword, and one for `if` in addition to the keywords in its
   * `then`.)
   */
  #problemsOf(details: readonly SchemaErrorDetail[], variables: EnvironmentVariables, known: readonly string[]): EnvironmentProblem[] {
    const problems = new Map<string | undefined, EnvironmentProblem>()
    const rules = details.filter(({ keyword }) => keyword !== 'if')
    for (const detail of rules.length > 0 ? rules : details) {
      const variable = variableOf(detail)
      if (!problems.has(variable)) problems.set(variable, { variable, ...this.#textsOf(variable, detail, variables, known) })
    }
    return [...problems.values()]
  }

  #textsOf(
    variable: string | undefined,
    { keyword, message }: SchemaErrorDetail,
    variables: EnvironmentVariables,
    known: readonly string[],
  ): Pick<EnvironmentProblem, 'text' | 'cure'> {
    const schema = variable === undefined ? undefined : this.#properties[variable]
    if (variable === undefined) return { text: `is invalid: ${this.#withoutValues(message, variables)}.` }
    if (!variables[variable]) {
      const wanted = schema === undefined ? '' : ` It must be ${describeVariable(schema)}.`
      const cure = `${wanted}${this.#misspelt(variable, variables, known)}`
      return { text: `is missing.${cure}`, cure: cure.trimStart() || `Set ${variable}.` }
    }
    // The words of a library say more than the JSON Schema, which lacks the checks of the library.
    if (keyword === 'standard' || schema === undefined) return { text: `is invalid: ${this.#withoutValues(message, variables, variable)}.` }
    const text = `must be ${describeVariable(schema, true)}.`
    return { text, cure: `It ${text}` }
  }

  /** Hides in the message of a library the value of the variable that it is about, which some libraries quote, and those of secrets. */
  #withoutValues(message: string | undefined, variables: EnvironmentVariables, variable?: string): string | undefined {
    const names = Object.keys(variables).filter((name) => name === variable || this.#secrets.has(name))
    return names.reduce((text, name) => text && withoutValue(text, variables[name] ?? ''), message)
  }

  /** Returns a sentence that names a variable which is set and was probably meant for this one; an empty text if there is none. */
  #misspelt(variable: string, variables: EnvironmentVariables, known: readonly string[]): string {
    // The variable itself may be set, and empty.
    const others = Object.keys(variables).filter(
      (name) => name !== variable && this.names?.includes(name) !== true && !known.includes(name),
    )
    const found = nearestName(variable, others, Math.max(1, Math.floor(variable.length / 6)))
    return found === undefined ? '' : ` ${found} is set: is its name misspelt?`
  }
}

type Described = readonly [name: string, schemas: readonly Record<string, any>[]]

function describedBy(json: Record<string, any> | undefined): readonly Described[] {
  return json === undefined ? [] : [...schemasByVariable(json)]
}

/**
 * Whether the schemas of a variable describe a list or an object. ajv would make a list of the text, or refuse each value. A library may have
 * lists beside texts: then the text stays one.
 */
function isNoText(schemas: Described[1], isOfLibrary: boolean): boolean {
  const types: unknown[] = schemas.flatMap(({ type }) => type)
  return (types.includes('array') || types.includes('object')) && !(isOfLibrary && types.includes('string'))
}

/** Whether `writeOnly` marks a variable as secret. If this is so in one of several alternatives, all values of the variable are secret. */
function isMarked(schemas: Described[1]): boolean {
  return schemas.some(({ writeOnly }) => writeOnly === true)
}

/** Replaces a value in a message: as it is and as JSON, in any case, because a library may quote or change what it has got. */
function withoutValue(message: string, value: string): string {
  const trimmed = value.trim()
  if (trimmed === '') return message
  const patterns = [JSON.stringify(trimmed).slice(1, -1), trimmed].map((form) =>
    form
      .replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
      // A short value may be a part of a word.
      .replace(/^(?=[\p{L}\p{N}])/u, String.raw`(?<![\p{L}\p{N}])`)
      .replace(/(?<=[\p{L}\p{N}])$/u, String.raw`(?![\p{L}\p{N}])`),
  )
  return patterns.reduce((text, pattern) => text.replaceAll(new RegExp(pattern, 'giu'), '…'), message)
}

/** Returns the name of the variable that an error of the validator is about. */
function variableOf({ instancePath, params }: SchemaErrorDetail): string | undefined {
  const [, first] = instancePath.split('/')
  return first === undefined ? params['missingProperty'] : nameOfStep(first)
}

/** Runs a function that reads a schema. @throws ALC_ERR_ENVIRONMENT_SCHEMA_INVALID instead of any other error of the schema */
function refusing<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new errorCodes.ALC_ERR_ENVIRONMENT_SCHEMA_INVALID((error as Error).message)
  }
}
