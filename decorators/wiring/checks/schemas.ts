/** Finds faults of shared schemas: repeated ids, and references to a schema that a route does not see or to a missing class. */
import { findReferences, isObject, isPlainObject, MAX_SCHEMA_DEPTH, possibleSchemas } from '../../../lib/internal.js'
import { isReference, modelOf, problemOfReference, type ReferenceProblem } from '../../declare/model/ref.js'
import { getSharedSchema, hasTwoSchemas } from '../../declare/schema.js'
import type { SchemaUse } from '../fault-texts/text.js'
import { type Fault, fault } from '../faults.js'
import { ancestors, isPluginNode, pluginPath, type PluginNode, type RouteNode } from '../nodes.js'
import { nameOf } from '../value-names.js'
import type { PluginSchema } from '../referenced-models.js'
import { howToShare } from '../sharing.js'

export function findSchemaFaults(plugins: readonly PluginNode[], shared: readonly PluginSchema[], isMountedAlone: boolean): Fault[] {
  const found: Fault[] = []
  for (const { options, path } of plugins) {
    for (const entry of options.schemas ?? [])
      if (typeof entry === 'function' && hasTwoSchemas(entry)) found.push(fault('MODEL_HAS_TWO_SCHEMAS', nameOf(entry), path))
  }
  const entries = shared.map(schemaEntry)
  findRepeatedIds([...entries, ...entries.flatMap(nestedEntries)], found)
  const byId = new Map<string, SchemaEntry[]>()
  for (const entry of entries) {
    const { schema, id, name, plugin } = entry
    reportInvalid(readReferences(schema), `${plugin.path} > ${name}`, found)
    reportUnlistedRequired(schema, `${plugin.path} > ${name}`, found)
    const key = idKey(id)
    byId.set(key, [...(byId.get(key) ?? []), entry])
  }
  const mayAdd = new Set(plugins.filter(mayAddSchemas).map(({ contextOwner }) => contextOwner))
  for (const route of plugins.flatMap((plugin) => plugin.routes)) {
    const references = readReferences(route.schema)
    reportInvalid(references, route.path, found)
    reportHidden(route, found)
    for (const part of partNames) reportUnlistedRequired(route.schema?.[part], route.path, found)
    const seen = new Set(ancestors(route.plugin.contextOwner).map((ancestor) => ancestor.contextOwner))
    for (const id of references.ids) {
      const known = byId.get(id) ?? []
      const places = known.filter(({ isListed }) => isListed).map(({ plugin }) => plugin)
      if (places.some((plugin) => seen.has(plugin.contextOwner))) continue
      if (places.length > 0) {
        found.push(fault('SCHEMA_NOT_VISIBLE', route.path, id, places.map(pluginPath), howToShare(route.plugin, places)))
      } else if (known.length > 0 && ![...seen].some((context) => mayAdd.has(context)))
        found.push(fault('SCHEMA_NOT_LISTED', route.path, id, known[0]!.name, route.plugin.path, isMountedAlone))
    }
  }
  return found
}

const partNames = ['body', 'querystring', 'query', 'params', 'headers', 'cookies', 'response'] as const

/**
 * The keywords that may describe further properties. In a schema with one of these keywords, `required` may name properties that
 * `properties` lacks.
 */
const describingMore = ['additionalProperties', 'patternProperties', 'propertyNames', 'allOf', 'anyOf', 'oneOf', 'if', '$ref']
/** The keywords whose nested schemas add conditions to the same value. */
const addingTo = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependencies', 'dependentSchemas'])

/**
 * Reports each name in `required` that `properties` lacks: the name is misspelt, or the serializer writes replies without this property.
 */
function reportUnlistedRequired(schema: unknown, place: string, found: Fault[], depth = 0): void {
  if (!isObject(schema) || '~standard' in schema || depth > MAX_SCHEMA_DEPTH) return
  const { required, properties, ...others } = schema
  const isWhole = describingMore.every((key) => !(key in others) || (key === 'additionalProperties' && others[key] === false))
  if (Array.isArray(required) && isPlainObject(properties) && Object.keys(properties).length > 0 && isWhole)
    for (const name of required as unknown[])
      if (typeof name === 'string' && !Object.hasOwn(properties, name))
        found.push(fault('REQUIRED_NOT_LISTED', place, name, Object.keys(properties)))
  const whole = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !addingTo.has(keyword)))
  for (const within of possibleSchemas(whole)) reportUnlistedRequired(within, place, found, depth + 1)
}

/**
 * Reports each `ref` to a class in a route's schemas if a nested schema of the route has the same id, because the reference would lead to
 * that schema instead.
 */
function reportHidden({ schema: routeSchema, path }: RouteNode, found: Fault[]): void {
  const written = partNames.flatMap((part) => schemasWithId(routeSchema?.[part]))
  if (written.length === 0) return
  for (const { schema: reference } of findReferences(routeSchema)) {
    const Model = modelOf(reference)
    const schema = Model && getSharedSchema(Model)
    const id = schema?.$id
    if (typeof id !== 'string' || written.every((other) => other === schema || idKey(other.$id) !== idKey(id))) continue
    const problem = `${nameOf(Model)}, but its $id '${id}' is also that of a schema that is written in the route.`
    found.push(fault('REFERENCE_INVALID', path, { problem, cure: 'Give one of them another $id.' }))
  }
}

/** A schema with an `$id` that other schemas can refer to. */
interface SchemaWithId {
  readonly $id: string
}

/** Returns the schema itself and its nested schemas, as far as they have an `$id`. */
function schemasWithId(schema: unknown, depth = 0): SchemaWithId[] {
  if (!isObject(schema) || '~standard' in schema || depth > MAX_SCHEMA_DEPTH) return []
  const within = possibleSchemas(schema).flatMap((each) => schemasWithId(each, depth + 1))
  const { $id } = schema
  // An id that begins with # names a place in its document.
  return typeof $id === 'string' && !$id.startsWith('#') ? [schema as unknown as SchemaWithId, ...within] : within
}

/** Whether code that runs only at boot (`setup`, or a shared plugin function) may add schemas to the context of a plugin. */
function mayAddSchemas({ Class, imports }: PluginNode): boolean {
  return typeof Class.prototype?.setup === 'function' || imports.some((entry) => !isPluginNode(entry) && entry.isShared)
}

/** A shared schema of a plugin, with its `$id` and the name of its class. */
interface SchemaEntry extends PluginSchema {
  readonly id: string
  readonly name: string
  /** Whether the schema is nested in another shared schema. */
  readonly isNested: boolean
}

/** Returns the schemas with an `$id` that are nested in a shared schema, because references find them as they find shared schemas. */
function nestedEntries({ schema, name, plugin, isListed }: SchemaEntry): SchemaEntry[] {
  return schemasWithId(schema).flatMap((within) =>
    within === schema
      ? []
      : { schema: within, id: within.$id, name: `a schema within ${name}`, plugin, isListed, Model: undefined, isNested: true },
  )
}

function schemaEntry(shared: PluginSchema): SchemaEntry {
  const { $id: id } = shared.schema as { $id: string }
  return { ...shared, id, isNested: false, name: shared.Model === undefined ? `the schema '${id}'` : nameOf(shared.Model) }
}

/** Reports each shared schema whose id another schema of the same context or of an ancestor's context has. */
function findRepeatedIds(entries: readonly SchemaEntry[], found: Fault[]): void {
  const byContext = new Map<PluginNode, SchemaEntry[]>()
  for (const entry of entries) {
    const { contextOwner } = entry.plugin
    const others = byContext.get(contextOwner)
    if (others === undefined) byContext.set(contextOwner, [entry])
    else others.push(entry)
  }
  const firsts = new Map([...byContext].map(([context, own]) => [context, firstById(own)]))
  for (const [context, own] of byContext) {
    const visible = ancestors(context).flatMap((ancestor) => firsts.get(ancestor) ?? [])
    for (const entry of own) {
      const { id, schema } = entry
      const other = visible.map((byId) => byId.get(idKey(id))).find((first) => first !== undefined && first !== entry)
      // A plugin may list the class that a plugin above refers to.
      if (other === undefined || (other.schema === schema && !other.isListed)) continue
      // Only a reference to a class says which of the two is meant.
      if ((entry.isNested || other.isNested) && (other.schema === schema || (entry.Model ?? other.Model) === undefined)) continue
      found.push(fault('SCHEMA_ID_REPEATED', id, useOf(entry), useOf(other)))
    }
  }
}

function useOf({ name, plugin, isListed }: SchemaEntry): SchemaUse {
  return { name, place: plugin.path, isListed }
}

/** Returns an id in the form in which ids are compared: `User#` is the same id as `User`. */
function idKey(id: string): string {
  return id.replace(/#$/, '')
}

function firstById(entries: readonly SchemaEntry[]): ReadonlyMap<string, SchemaEntry> {
  return new Map(entries.map((entry): [string, SchemaEntry] => [idKey(entry.id), entry]).toReversed())
}

function reportInvalid({ problems }: References, place: string, found: Fault[]): void {
  for (const problem of problems) found.push(fault('REFERENCE_INVALID', place, problem))
}

interface References {
  /** The ids of shared schemas that schemas refer to by a text instead of `ref`. */
  readonly ids: Set<string>
  /** The faults of `ref` calls with a function that returns the class. Other references are checked when `ref` is called. */
  readonly problems: ReferenceProblem[]
}

function readReferences(schema: unknown): References {
  const found: References = { ids: new Set(), problems: [] }
  for (const { reference, schema: place } of findReferences(schema)) {
    if (reference.startsWith('#')) continue
    const problem = problemOfReference(place)
    if (problem === undefined) {
      // A reference to a class leads to this class, wherever it is.
      if (!isReference(place)) found.ids.add(reference.split('#', 1)[0]!)
    } else if (found.problems.every((other) => other.problem !== problem.problem)) found.problems.push(problem)
  }
  return found
}
