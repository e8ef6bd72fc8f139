/** Compares the keywords of objects: proves that they allow all values of a shape (see shapes.ts). */
import { doubt, type Doubts, join, proven, type Prover, vague, within } from './doubts.js'
import type { Conjunction, Schema, SchemaObject } from './schemas.js'
import { matches, type MemberRules, memberSchemas, type Shape, schemasFor } from './shapes.js'

/** Names that are tried for a member that no schema names. */
const someNames = ['other', 'x', 'a', 'A', '0', 'x-other', '_', 'some name', 'é', '']
/** The most member names that are compared one by one. */
const MAX_NAMES = 20_000

/** Returns the names of the members that a shape's schemas name. */
export function namesOf({ members }: Shape): string[] {
  return [...new Set(members.flatMap(({ properties }) => Object.keys(properties)))]
}

export function checkObject(wide: SchemaObject, shape: Shape, prover: Prover): Doubts {
  if (!shape.types.has('object')) return proven
  const { properties, patternProperties, additionalProperties, required = [], propertyNames, unevaluatedProperties } = wide
  const doubts: Doubts[] = required.map((name: string) => checkRequired(name, shape, prover))
  doubts.push(checkCount(wide, shape, prover))
  if (properties !== undefined || patternProperties !== undefined || additionalProperties !== undefined) {
    const rules = { properties: properties ?? {}, patterns: patternProperties ?? {}, others: additionalProperties }
    doubts.push(checkMembers(rules, shape, prover))
  }
  if (propertyNames !== undefined) doubts.push(checkNames(propertyNames, shape, prover))
  if (unevaluatedProperties !== undefined && unevaluatedProperties !== true) doubts.push(checkUnevaluated(wide, shape, prover))
  for (const [name, demanded] of Object.entries<string[]>(wide['dependentRequired'] ?? {}))
    doubts.push(checkDependents(name, demanded, shape, prover))
  for (const [name, schema] of Object.entries<Schema>(wide['dependentSchemas'] ?? {}))
    doubts.push(checkDependentSchema(name, schema, shape, prover))
  return join(doubts)
}

function checkRequired(name: string, shape: Shape, prover: Prover): Doubts {
  if (shape.required.has(name)) return proven
  return doubt(prover, shape, `demands the member '${name}', and objects without it may come`, {
    type: ['object'],
    properties: { [name]: false },
  })
}

function checkCount({ minProperties = 0, maxProperties = Infinity }: SchemaObject, shape: Shape, prover: Prover): Doubts {
  const least = Math.max(shape.minProperties, shape.required.size)
  const most = maxProperties === Infinity ? 0 : mostMembers(shape, prover)
  const few =
    least < minProperties
      ? doubt(prover, shape, `takes objects of at least ${minProperties} members, and smaller ones may come`, {
          type: ['object'],
          maxProperties: minProperties - 1,
        })
      : proven
  const many =
    most > maxProperties
      ? doubt(prover, shape, `takes objects of at most ${maxProperties} members, and larger ones may come`, {
          type: ['object'],
          minProperties: maxProperties + 1,
        })
      : proven
  return [...few, ...many]
}

function mostMembers(shape: Shape, prover: Prover): number {
  const names = namesOf(shape)
  if (hasOthers(shape, prover)) return shape.maxProperties
  return Math.min(shape.maxProperties, names.filter((name) => !prover.isEmpty(memberSchemas(shape, name))).length)
}

/** Whether objects of a shape may have members that the shape does not name. */
function hasOthers(shape: Shape, prover: Prover): boolean {
  if (shape.members.some(({ patterns }) => Object.keys(patterns).length > 0)) return true
  return !prover.isEmpty(othersOf(shape))
}

/** Returns the schemas of the members that a shape neither names nor describes by a pattern. */
function othersOf({ members }: Shape): Conjunction {
  return members.flatMap(({ others }) => (others === undefined ? [] : [others]))
}

function checkMembers(wide: MemberRules, shape: Shape, prover: Prover): Doubts {
  const names = new Set([...Object.keys(wide.properties), ...namesOf(shape), ...finiteNames(shape)])
  if (names.size > MAX_NAMES) return vague(`has more than ${MAX_NAMES} members`)
  const doubts: Doubts[] = []
  for (const name of names) {
    const demanded = schemasFor(wide, name) ?? []
    if (demanded.every((each) => each === true)) continue
    doubts.push(within(shape, name, prover.subsumes(demanded, memberSchemas(shape, name))))
  }
  if (finiteNames(shape).length === 0) doubts.push(checkOthers(wide, shape, names, prover))
  return join(doubts)
}

/** Returns the only names that members may have, if a shape lists them by `propertyNames`; otherwise an empty list. */
function finiteNames({ names }: Shape): readonly string[] {
  const listed = names.find((each) => typeof each === 'object' && each['enum'] !== undefined) as SchemaObject | undefined
  return listed === undefined ? [] : listed['enum'].filter((each: unknown) => typeof each === 'string')
}

/** A group of members that no schema names: the members whose names match a pattern, or all remaining members. */
interface Category {
  /** The pattern that the names match; `undefined` for the names that match no pattern. */
  readonly pattern: string | undefined
  readonly schemas: Conjunction
}

function categoriesOf(shape: Shape): Category[] {
  const patterns = new Set(shape.members.flatMap((rules) => Object.keys(rules.patterns)))
  return [
    { pattern: undefined, schemas: othersOf(shape) },
    ...[...patterns].map((pattern) => ({ pattern, schemas: shape.members.flatMap((rules) => schemasOfPattern(rules, pattern)) })),
  ]
}

/** Returns the schemas of the members whose names match a pattern. The same members may match other patterns too. */
function schemasOfPattern({ patterns, others }: MemberRules, pattern: string): Conjunction {
  if (Object.hasOwn(patterns, pattern)) return [patterns[pattern]!]
  return Object.keys(patterns).length === 0 && others !== undefined ? [others] : []
}

/** Proves that the rules `wide` allow the members of a shape that no schema names. */
function checkOthers(wide: MemberRules, shape: Shape, named: ReadonlySet<string>, prover: Prover): Doubts {
  const patterns = Object.keys(wide.patterns)
  const doubts: Doubts[] = []
  for (const { pattern, schemas } of categoriesOf(shape)) {
    const own = new Set(shape.members.flatMap((each) => Object.keys(each.patterns)))
    const nameFor = (wanted: string | undefined): string | undefined =>
      [...someNames, ...[wanted, pattern].flatMap((each) => (each === undefined ? [] : namesFor(each)))].find(
        (name) =>
          !named.has(name) &&
          (pattern === undefined ? ![...own].some((each) => matches(each, name)) : matches(pattern, name)) &&
          (wanted === undefined ? !patterns.some((each) => matches(each, name)) : matches(wanted, name)),
      )
    const compare = (schema: Schema, wanted: string | undefined): void => {
      const found = prover.subsumes([schema], schemas)
      if (found.length === 0) return
      const name = nameFor(wanted)
      doubts.push(
        name === undefined ? vague(`names of members that match ${wanted ?? pattern} are not compared`) : within(shape, name, found),
      )
    }
    for (const [each, schema] of Object.entries(wide.patterns)) compare(schema, each)
    if (wide.others !== undefined && (pattern === undefined || !patterns.includes(pattern))) compare(wide.others, undefined)
  }
  return join(doubts)
}

/** Returns names that may match a pattern: parts of its text. */
function namesFor(pattern: string): string[] {
  const plain = pattern.replaceAll(/[\^$]/g, '')
  return [
    plain,
    `${plain}x`,
    `${plain}1`,
    plain.replaceAll(/\\(.)/g, '$1'),
    plain.replaceAll(/[[({].*$/g, ''),
    `${plain.replaceAll(/[[({\\.].*$/g, '')}a`,
  ]
}

function checkNames(wide: Schema, shape: Shape, prover: Prover): Doubts {
  const doubts: Doubts[] = []
  for (const name of namesOf(shape)) {
    const isTaken = prover.accepts(wide, name)
    if (isTaken === true || prover.isEmpty(memberSchemas(shape, name)) || shape.names.some((each) => prover.accepts(each, name) === false))
      continue
    doubts.push(within(shape, name, doubt(prover, shape, `does not take a member of this name`)))
  }
  if (!hasOthers(shape, prover)) return join(doubts)
  const found = prover.subsumes([wide], [...shape.names, prover.make({ type: ['string'] })])
  return join([...doubts, found.length === 0 ? proven : vague(`demands names of members (propertyNames): ${found[0]!.reason}`)])
}

function checkDependents(name: string, demanded: readonly string[], shape: Shape, prover: Prover): Doubts {
  if (prover.isEmpty(memberSchemas(shape, name))) return proven
  const known = new Set([
    ...shape.required,
    ...shape.dependents.flatMap(([each, names]) => (each === name || shape.required.has(each) ? names : [])),
  ])
  const doubts = demanded
    .filter((each) => each !== name && !known.has(each))
    .map((each) =>
      doubt(prover, shape, `demands the member '${each}' beside '${name}', and objects without it may come`, {
        type: ['object'],
        required: [name],
        properties: { [each]: false },
      }),
    )
  return join(doubts)
}

function checkDependentSchema(name: string, schema: Schema, shape: Shape, prover: Prover): Doubts {
  const shapes = prover.meet(shape, prover.make({ required: [name] }))
  if (shapes === undefined) return vague(`has too many alternatives beside '${name}'`)
  return join(shapes.map((each) => prover.takes(schema, each)))
}

/** Proves that `unevaluatedProperties` allows the members that no other keyword of the schema describes. */
function checkUnevaluated(wide: SchemaObject, shape: Shape, prover: Prover): Doubts {
  const { unevaluatedProperties: others, ...evaluating } = wide
  const rules = evaluatedBy(prover.make(evaluating), prover)
  if (rules === undefined) return vague('has unevaluatedProperties beside alternatives, which is not compared')
  return checkMembers({ ...rules, others }, shape, prover)
}

/** A pattern that matches all names. */
const anyName = ''

/**
 * Returns rules with the schema `true` for the members that a schema's keywords describe; `undefined` if these members depend on the value.
 */
function evaluatedBy(schema: Schema, prover: Prover, steps = 0): Omit<MemberRules, 'others'> | undefined {
  if (typeof schema === 'boolean') return { properties: {}, patterns: {} }
  if (steps > 50 || ['anyOf', 'oneOf', 'if', 'dependentSchemas'].some((keyword) => keyword in schema)) return undefined
  if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) return { properties: {}, patterns: { [anyName]: true } }
  const { $ref, allOf = [], properties, patternProperties } = schema
  const parts: readonly Schema[] = $ref === undefined ? allOf : [...allOf, prover.resolve($ref)]
  const below = parts.map((part) => evaluatedBy(part, prover, steps + 1))
  const any = (given: object = {}): Record<string, Schema> => Object.fromEntries(Object.keys(given).map((name) => [name, true]))
  let result: Omit<MemberRules, 'others'> = { properties: any(properties), patterns: any(patternProperties) }
  for (const each of below) {
    if (each === undefined) return undefined
    result = { properties: { ...result.properties, ...each.properties }, patterns: { ...result.patterns, ...each.patterns } }
  }
  return result
}
