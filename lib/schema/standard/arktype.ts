/**
 * Reads the definition of a schema of ArkType (`json`, its documented form). As for Zod, a definition is exact only if all its keys are
 * listed here.
 */
import { isOrdinaryName, type JsonSchema, objectOf, oneOfTypes, oneOfValues, orNull, type Reading } from './reading.js'

/** Returns the JSON Schema that says everything that a definition of ArkType says; `undefined` if no JSON Schema does. */
export function readArkType(definition: unknown): JsonSchema | undefined {
  if (typeof definition === 'string') return definition === 'string' || definition === 'number' ? { type: definition } : undefined
  if (Array.isArray(definition)) return readAlternatives(definition)
  if (definition === null || typeof definition !== 'object') return undefined
  const node = definition as Readonly<Record<string, any>>
  if ('unit' in node) return hasOnly(node, ['unit']) && isValue(node['unit']) ? oneOfValues([node['unit']]) : undefined
  if (node['domain'] === 'string') return readString(node)
  if (node['domain'] === 'number') return readNumber(node)
  if (node['domain'] === 'object') return readObject(node)
  return node['proto'] === 'Array' ? readArray(node) : undefined
}

const lengths = ['minLength', 'maxLength', 'exactLength']

function hasOnly(node: object, keys: readonly string[]): boolean {
  return Object.keys(node).every((key) => keys.includes(key))
}

/**
 * Whether the `unit` of a definition (its single allowed value) is a value of JSON. In a definition, any other value (`undefined`, a date,
 * a symbol) is written as a text.
 */
function isValue(unit: unknown): boolean {
  if (typeof unit !== 'string') return unit === null || typeof unit === 'boolean' || Number.isFinite(unit)
  return /^[a-z][\w -]*$/i.test(unit) && !['undefined', 'NaN', 'Infinity'].includes(unit)
}

function readAlternatives(nodes: readonly any[]): JsonSchema | undefined {
  const isNull = (node: any): boolean => node?.unit === null
  const others = nodes.filter((node) => !isNull(node))
  const json = readTyped(others)
  if (json?.['type'] === undefined) return undefined
  return others.length < nodes.length ? orNull(json) : json
}

function readTyped(nodes: readonly any[]): JsonSchema | undefined {
  const units = nodes.flatMap((node) => (node !== null && typeof node === 'object' && 'unit' in node ? [node.unit] : []))
  const read = nodes.map(readArkType)
  if (nodes.length === 0 || read.includes(undefined)) return undefined
  if (read.length === 1) return read[0]
  if (units.length === nodes.length) return units.length === 2 && units.every(isBoolean) ? { type: 'boolean' } : oneOfValues(units)
  return units.length === 0 ? oneOfTypes(read as JsonSchema[]) : undefined
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

/**
 * Reads the definition of a text. ArkType counts the UTF-16 units of a text, JSON Schema its characters: only the limit "not empty" means
 * the same, so no other limit is read.
 */
function readString(node: Readonly<Record<string, any>>): JsonSchema | undefined {
  if (!hasOnly(node, ['domain', 'minLength']) || ![undefined, 0, 1].includes(node['minLength'])) return undefined
  return { type: 'string', ...(node['minLength'] === 1 && { minLength: 1 }) }
}

function withLimits(node: Readonly<Record<string, any>>): JsonSchema | undefined {
  const { minLength: min, maxLength: max, exactLength: equal } = node
  if (![min, max, equal].every((limit) => limit === undefined || Number.isInteger(limit))) return undefined
  return {
    ...((equal ?? min) !== undefined && { minItems: equal ?? min }),
    ...((equal ?? max) !== undefined && { maxItems: equal ?? max }),
  }
}

function readNumber(node: Readonly<Record<string, any>>): JsonSchema | undefined {
  const { divisor, min, max } = node
  if (!hasOnly(node, ['domain', 'divisor', 'min', 'max']) || (divisor !== undefined && divisor !== 1)) return undefined
  const limits: Record<string, number> = {}
  for (const [name, limit] of Object.entries({ Minimum: min, Maximum: max })) {
    if (limit === undefined) continue
    if (Number.isFinite(limit)) limits[name.toLowerCase()] = limit
    else if (limit?.exclusive === true && Number.isFinite(limit.rule) && hasOnly(limit, ['exclusive', 'rule']))
      limits[`exclusive${name}`] = limit.rule
    else return undefined
  }
  return { type: divisor === 1 ? 'integer' : 'number', ...limits }
}

function readArray(node: Readonly<Record<string, any>>): JsonSchema | undefined {
  const items = hasOnly(node, ['proto', 'sequence', ...lengths]) ? readArkType(node['sequence']) : undefined
  const limits = items && withLimits(node)
  return limits && { type: 'array', ...limits, items }
}

function readObject(node: Readonly<Record<string, any>>): JsonSchema | undefined {
  const { required = [], optional = [] } = node
  if (!hasOnly(node, ['domain', 'required', 'optional'])) return undefined
  const properties: Record<string, Reading> = {}
  for (const entry of [...required, ...optional]) {
    const json = hasOnly(entry, ['key', 'value']) ? readArkType(entry.value) : undefined
    // The name of another key than a text (a symbol) has parentheses.
    if (json === undefined || !/^[\w-]+$/.test(entry.key) || !isOrdinaryName(entry.key)) return undefined
    properties[entry.key] = { json, isExact: true, isOptional: optional.includes(entry) }
  }
  // To ArkType a list is an object too. Only a required property that no list has refuses lists.
  return required.some(({ key }: { key: string }) => key !== 'length') ? objectOf(properties).json : undefined
}
