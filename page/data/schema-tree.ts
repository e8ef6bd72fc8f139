/** A JSON Schema as a tree of properties that a person reads. */
import { nameOfStep } from '../../lib/util/json-pointer.js'
import { canonicalText } from '../../lib/util/objects.js'

type Schema = Readonly<Record<string, unknown>>

/** A property, item or alternative with its type in words. */
export interface SchemaNode {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  /** Limits of the value, in words: `at least 1`, `matches ^a`. */
  readonly facts: readonly string[]
  readonly description: string
  readonly children: readonly SchemaNode[]
  readonly mark?: 'gained' | 'lost' | 'changed'
}

/** A schema nested deeper than this is shown as its type alone. */
const deepest = 8
/** The tree of a schema has at most this many nodes: models that refer to each other would have thousands. */
const mostNodes = 400

/** Returns the tree of a schema. @param shared the shared schemas by `$id` */
export function readSchema(name: string, schema: unknown, shared: ReadonlyMap<string, unknown>): SchemaNode {
  return new Reader(schema, shared).read(name, schema, true, [])
}

class Reader {
  readonly #root: unknown
  readonly #shared: ReadonlyMap<string, unknown>
  #left = mostNodes

  constructor(root: unknown, shared: ReadonlyMap<string, unknown>) {
    this.#root = root
    this.#shared = shared
  }

  /** @param above the schemas that contain this one: a schema that refers to itself ends there */
  read(name: string, given: unknown, isRequired: boolean, above: readonly unknown[]): SchemaNode {
    const { schema, label } = this.#follow(given)
    if (typeof schema !== 'object' || schema === null)
      return { name, type: schema === false ? 'nothing' : (label ?? 'any value'), isRequired, facts: [], description: '', children: [] }
    const read = schema as Schema
    const isEnd = above.includes(schema) || above.length >= deepest || --this.#left <= 0
    const title = label ?? textOf(read['title']) ?? textOf(read['$id'])
    const type = typeText(read)
    return {
      name,
      type: title === undefined ? type : type === 'object' || type === 'any value' ? title : `${title}: ${type}`,
      isRequired,
      facts: [...factsOf(read), ...(isEnd && hasParts(read) ? ['…'] : [])],
      description: textOf(read['description']) ?? '',
      children: isEnd ? [] : this.#children(read, [...above, schema]),
    }
  }

  /** Follows references to definitions of the same schema and to shared schemas. */
  #follow(given: unknown): { readonly schema: unknown; readonly label?: string } {
    let schema = given
    let label: string | undefined
    for (let steps = 0; steps < deepest && typeof schema === 'object' && schema !== null; steps++) {
      const { $ref: reference } = schema as Schema
      if (typeof reference !== 'string') break
      const [id = '', pointer = ''] = reference.split('#')
      label = (pointer.split('/').at(-1) || id).replace(/^urn:/, '')
      const target = at(id === '' ? this.#root : this.#shared.get(id), pointer)
      if (target === undefined) return { schema: undefined, label }
      schema = target
    }
    return label === undefined ? { schema } : { schema, label }
  }

  #children(schema: Schema, above: readonly unknown[]): SchemaNode[] {
    const required = Array.isArray(schema['required']) ? schema['required'] : []
    const { items } = schema
    return [
      ...entriesOf(schema['properties']).map(([name, part]) => this.read(name, part, required.includes(name), above)),
      ...entriesOf(schema['patternProperties']).map(([name, part]) => this.read(`/${name}/`, part, false, above)),
      ...(isObject(schema['additionalProperties']) ? [this.read('any other', schema['additionalProperties'], false, above)] : []),
      ...(Array.isArray(items) ? items.map((part, index) => this.read(`${index}`, part, true, above)) : []),
      ...(isObject(items) ? this.#ofItem(items, above) : []),
      ...['oneOf', 'anyOf', 'allOf'].flatMap((keyword) =>
        listOf(schema[keyword]).map((part, index) => this.read(`${namesOfLists[keyword]!} ${index + 1}`, part, true, above)),
      ),
    ]
  }

  /** The properties of an item are shown in the row of the list. */
  #ofItem(items: Schema, above: readonly unknown[]): SchemaNode[] {
    const item = this.read('each', items, true, above)
    return item.children.length > 0 || item.facts.length > 0 || item.description !== '' ? [item] : []
  }
}

const namesOfLists: Readonly<Record<string, string>> = { oneOf: 'either', anyOf: 'either', allOf: 'and' }

const isObject = (value: unknown): value is Schema => value !== null && typeof value === 'object' && !Array.isArray(value)
const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function hasParts(schema: Schema): boolean {
  return ['properties', 'items', 'oneOf', 'anyOf', 'allOf'].some((keyword) => schema[keyword] !== undefined)
}

function at(root: unknown, pointer: string): unknown {
  let found = root
  for (const step of pointer.split('/').slice(1)) {
    const key = nameOfStep(step)
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Schema)[key]
  }
  return found
}

function typeText(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (types.length === 0) return schema['properties'] === undefined ? 'any value' : 'object'
  const { items } = schema
  return types.map((type) => (type === 'array' && isObject(items) ? `list of ${itemText(items)}` : type)).join(' or ')
}

function itemText(items: Schema): string {
  const { $ref: reference, $id: id, title, type } = items
  const name = typeof reference === 'string' ? reference.replace(/#$/, '').split(/[#/]/).at(-1) : (title ?? id ?? type)
  return typeof name === 'string' ? name : 'values'
}

const wordsOf: Readonly<Record<string, (value: unknown) => string>> = {
  format: (value) => String(value),
  minimum: (value) => `≥ ${String(value)}`,
  maximum: (value) => `≤ ${String(value)}`,
  exclusiveMinimum: (value) => `> ${String(value)}`,
  exclusiveMaximum: (value) => `< ${String(value)}`,
  multipleOf: (value) => `multiple of ${String(value)}`,
  minLength: (value) => `at least ${String(value)} characters`,
  maxLength: (value) => `at most ${String(value)} characters`,
  pattern: (value) => `matches ${String(value)}`,
  minItems: (value) => `at least ${String(value)} items`,
  maxItems: (value) => `at most ${String(value)} items`,
  uniqueItems: () => 'no item twice',
  minProperties: (value) => `at least ${String(value)} properties`,
  maxProperties: (value) => `at most ${String(value)} properties`,
  default: (value) => `default ${JSON.stringify(value)}`,
  additionalProperties: (value) => (value === false ? 'no other properties' : ''),
  deprecated: () => 'deprecated',
  readOnly: () => 'read only',
  writeOnly: () => 'write only',
  nullable: () => 'or null',
}

function factsOf(schema: Schema): string[] {
  return Object.entries(wordsOf).flatMap(([keyword, words]) =>
    schema[keyword] === undefined || (keyword !== 'additionalProperties' && schema[keyword] === false && keyword !== 'default')
      ? []
      : [words(schema[keyword])].filter((text) => text !== ''),
  )
}

/** Returns the tree of the new schema with marks, and the properties that only the old one has. */
export function compareTrees(old: SchemaNode, now: SchemaNode): SchemaNode {
  const before = new Map(old.children.map((child) => [child.name, child]))
  const names = new Set(now.children.map(({ name }) => name))
  const ownText = ({ type, isRequired, facts }: SchemaNode): string => canonicalText([type, isRequired, facts])
  return {
    ...now,
    ...(ownText(old) !== ownText(now) && { mark: 'changed', facts: [...now.facts, `before: ${describeNode(old, now)}`] }),
    children: [
      ...now.children.map((child) => {
        const counterpart = before.get(child.name)
        return counterpart === undefined ? { ...child, mark: 'gained' as const } : compareTrees(counterpart, child)
      }),
      ...old.children.filter(({ name }) => !names.has(name)).map((child) => ({ ...child, mark: 'lost' as const })),
    ],
  }
}

function describeNode(old: SchemaNode, now: SchemaNode): string {
  const parts = [
    ...(old.type === now.type ? [] : [old.type]),
    ...(old.isRequired === now.isRequired ? [] : [old.isRequired ? 'required' : 'optional']),
    ...(canonicalText(old.facts) === canonicalText(now.facts) ? [] : [old.facts.join(', ') || 'no limits']),
  ]
  return parts.join(', ')
}
