/** Describes in words what a variable of the environment must be. */
import { shorten } from '../../util/shorten.js'

const MAX_PATTERN_LENGTH = 80

/** The keywords of a variable's JSON Schema that are described in words. */
interface VariableSchema {
  readonly type?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: string
  readonly pattern?: string
  readonly description?: string
}

/**
 * Describes in words what a variable must be: `a whole number from 0 to 65535`, with the description of the schema in brackets. The text
 * never contains a value of the variable, which may be a secret. A description stands for the pattern, unless `isRefused`: then the variable
 * has a value that the schema refuses, perhaps for its pattern.
 */
export function describeVariable(schema: VariableSchema, isRefused = false): string {
  const words = describeValues(schema) ?? describeType(schema, isRefused)
  return schema.description === undefined ? words : `${words} (${schema.description})`
}

function describeValues(schema: VariableSchema): string | undefined {
  if ('const' in schema) return String(schema.const)
  return schema.enum === undefined ? undefined : `one of ${schema.enum.map(String).join(', ')}`
}

function describeType(schema: VariableSchema, isRefused: boolean): string {
  const { type } = schema
  if (type === 'boolean') return 'true or false'
  if (type === 'integer' || type === 'number') return `${type === 'integer' ? 'a whole number' : 'a number'}${describeRange(schema)}`
  return type === 'string' ? `a text${describeText(schema, isRefused)}` : 'a value that its schema allows'
}

function describeRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: VariableSchema): string {
  const limits =
    minimum !== undefined && maximum !== undefined
      ? [` from ${minimum} to ${maximum}`]
      : [minimum === undefined ? '' : ` of at least ${minimum}`, maximum === undefined ? '' : ` of at most ${maximum}`]
  if (exclusiveMinimum !== undefined) limits.push(` above ${exclusiveMinimum}`)
  if (exclusiveMaximum !== undefined) limits.push(` below ${exclusiveMaximum}`)
  if (multipleOf !== undefined) limits.push(` that is a multiple of ${multipleOf}`)
  return limits.join('')
}

function describeText({ minLength, maxLength, format, pattern, description }: VariableSchema, isRefused: boolean): string {
  const phrases: string[] = []
  // A variable that is empty counts as not set, so a text of at least one character is any text.
  if (minLength !== undefined && minLength > 1) phrases.push(` of at least ${minLength} characters`)
  if (maxLength !== undefined) phrases.push(`${phrases.length > 0 ? ' and' : ' of'} at most ${maxLength} characters`)
  if (format !== undefined) phrases.push(` of the format ${format}`)
  if (pattern !== undefined && (description === undefined || isRefused))
    phrases.push(` that matches ${shorten(pattern, MAX_PATTERN_LENGTH)}`)
  return phrases.join('')
}
