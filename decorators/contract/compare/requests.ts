/** Compares the requests of an operation in two documents: does the new document accept every request that the old one accepted? */
import type { ContractBody, ContractContent, ContractMedia, ContractOperation, ContractParameter } from '../document/contract-types.js'
import { withoutNull } from '../document/differences.js'
import type { SchemaComparison } from '../subsumption/compare.js'
import type { Change } from './compare-types.js'
import { compareSchemasOfPart } from './schemas-of-part.js'

export function compareRequests(old: ContractOperation, now: ContractOperation, comparison: SchemaComparison): Change[] {
  return [...compareParameters(old, now, comparison), ...compareBodies(old.body, now.body, comparison)]
}

function compareParameters(old: ContractOperation, now: ContractOperation, comparison: SchemaComparison): Change[] {
  const [before, after] = [parametersOf(old), parametersOf(now)]
  const changes: Change[] = []
  for (const [key, parameter] of after) {
    const counterpart = before.get(key)
    if (counterpart !== undefined) changes.push(...compareParameter(counterpart, parameter, comparison))
    else if (parameter.required)
      changes.push({
        part: parameterTitle(parameter),
        answer: 'breaking',
        reason: 'is demanded, and old clients do not send it',
        example: `a request without the ${parameter.in} ${parameter.name}`,
      })
    else changes.push({ part: parameterTitle(parameter), answer: 'compatible', reason: 'is new, and may be left out' })
  }
  for (const [key, parameter] of before)
    if (!after.has(key)) changes.push({ part: parameterTitle(parameter), answer: 'compatible', reason: 'is no longer read' })
  return changes
}

/**
 * Returns the parameters by a key that is the same in both documents: the position for a path parameter, the lower-case name for a header.
 */
function parametersOf({ parameters }: ContractOperation): Map<string, ContractParameter> {
  return new Map(
    parameters.map((parameter, index) => {
      const { in: kind, name } = parameter
      return [kind === 'path' ? `path ${index}` : `${kind} ${kind === 'header' ? name.toLowerCase() : name}`, parameter]
    }),
  )
}

function parameterTitle({ in: kind, name }: ContractParameter): string {
  return `${kind} ${name}`
}

function compareParameter(old: ContractParameter, now: ContractParameter, comparison: SchemaComparison): Change[] {
  const part = parameterTitle(now)
  const changes = compareSchemasOfPart(part, 'client', { old: old.schema, new: now.schema }, comparison, {
    examples: examplesIn(old.schema),
    reading: 'text',
  })
  if (now.required && !old.required)
    changes.unshift({
      part,
      answer: 'breaking',
      reason: 'is demanded, and could be left out',
      example: `a request without the ${now.in} ${now.name}`,
    })
  if ((old.style !== now.style || old.explode !== now.explode) && !(isOneText(old.schema) && isOneText(now.schema)))
    changes.push({ part, answer: 'unknown', reason: `is written in another style: ${styleOf(now)} instead of ${styleOf(old)}` })
  return changes
}

function styleOf({ style = 'the default', explode }: ContractParameter): string {
  return explode === undefined ? style : `${style} with explode: ${explode}`
}

/** Whether a parameter is a single text. All parameter styles of OpenAPI write a single text alike. */
function isOneText(schema: unknown): boolean {
  const { type } = (schema ?? {}) as { type?: unknown }
  return type !== undefined && [type].flat().every((each) => ['string', 'number', 'integer', 'boolean'].includes(each as string))
}

function compareBodies(old: ContractBody | undefined, now: ContractBody | undefined, comparison: SchemaComparison): Change[] {
  const part = 'body'
  if (now === undefined)
    return old === undefined
      ? []
      : [{ part, answer: 'unknown', reason: 'is no longer described, so that it is not known which bodies are taken' }]
  const withoutBody = 'a request without a body'
  if (old === undefined)
    return now.required
      ? [{ part, answer: 'breaking', reason: 'is demanded, and old clients send none', example: withoutBody }]
      : [{ part, answer: 'compatible', reason: 'is new, and may be left out' }]
  const changes: Change[] = []
  if (now.required && !old.required)
    changes.push({ part, answer: 'breaking', reason: 'is demanded, and could be left out', example: withoutBody })
  for (const [type, media] of Object.entries(old.content)) {
    const counterpart = mediaFor(type, now.content)
    if (counterpart === undefined) changes.push({ part, answer: 'breaking', reason: `the server no longer takes ${type}`, example: type })
    else {
      const schemas = { old: schemaOf(media, old), new: schemaOf(counterpart, now) }
      const named = Object.keys(old.content).length > 1 ? `${part} ${type}` : part
      changes.push(...compareSchemasOfPart(named, 'client', schemas, comparison, { examples: examplesOf(media) }))
    }
  }
  return changes
}

/** Returns the entry of a content that covers a media type or range: the same media type, or a range such as `text/*`. */
export function mediaFor(type: string, content: ContractContent): ContractMedia | undefined {
  const plain = type.replace(/;.*$/, '').trim()
  const names = [type, plain, `${plain.replace(/\/.*$/, '')}/*`, '*/*']
  const found =
    names.find((name) => Object.hasOwn(content, name)) ?? Object.keys(content).find((name) => name.replace(/;.*$/, '').trim() === plain)
  return found === undefined ? undefined : content[found]
}

/** Returns the schema of a body. If the body is optional, the alternative `null` is left out, which stands for an absent body. */
function schemaOf({ schema }: ContractMedia, { required }: ContractBody): unknown {
  return required ? schema : withoutNull(schema)
}

/** Returns the examples that a document has for a media type. */
export function examplesOf({ example, examples = {}, schema }: ContractMedia): unknown[] {
  const named = Object.values(examples).flatMap((each) => {
    const { value } = (each ?? {}) as { value?: unknown }
    return value === undefined ? [] : [value]
  })
  return [...(example === undefined ? [] : [example]), ...named, ...examplesIn(schema)]
}

function examplesIn(schema: unknown): readonly unknown[] {
  const { examples } = (schema ?? {}) as { examples?: unknown }
  return Array.isArray(examples) ? examples : []
}
