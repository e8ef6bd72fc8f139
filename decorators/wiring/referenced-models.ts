/**
 * Adds the models that schemas refer to with `ref` to the schemas of the referring plugin, unless the plugin's context sees the model
 * already. Models need not be listed in `schemas` therefore.
 */
import { findReferences } from '../../lib/internal.js'
import { getDeclaredReplies } from '../declare/class-replies.js'
import { getThrown } from '../declare/hook.js'
import { modelOf } from '../declare/model/ref.js'
import type { Class } from '../declare/metadata.js'
import { getSharedSchema } from '../declare/schema.js'
import { eventOptionsOf, isEventToken } from '../jobs/event.js'
import { queueOptionsOf } from '../jobs/queue.js'
import { ancestors, isPluginNode, type PluginNode } from './nodes.js'

/** A shared schema of a plugin, and its class. The plugin lists the schema, or refers to it with `ref`. */
export interface PluginSchema {
  readonly schema: object
  /** The class of the schema; `undefined` if the plugin lists a plain object. */
  readonly Model: Class | undefined
  readonly plugin: PluginNode
  readonly isListed: boolean
}

/** Adds the models that each plugin refers to, and returns all shared schemas of the plugins. */
export function addReferencedModels(plugins: readonly PluginNode[]): PluginSchema[] {
  const listed = plugins.flatMap(schemasListed)
  const seen = new Map<PluginNode, Set<object>>()
  for (const { plugin, schema } of listed) seenIn(plugin, seen).add(schema)
  const isSeen = (plugin: PluginNode, schema: object): boolean =>
    ancestors(plugin.contextOwner).some((ancestor) => seen.get(ancestor.contextOwner)?.has(schema))
  const referred: PluginSchema[] = []
  // The contexts above come first: a context that exists would get a later schema of its ancestor too.
  for (const plugin of plugins.toSorted((one, other) => depthOf(one) - depthOf(other)))
    for (const [Model, schema] of modelsIn(plugin)) {
      if (isSeen(plugin, schema)) continue
      seenIn(plugin, seen).add(schema)
      plugin.schemas.push(schema)
      referred.push({ schema, Model, plugin, isListed: false })
    }
  dropRepeated(plugins, referred)
  return [...listed, ...referred]
}

function seenIn({ contextOwner }: PluginNode, seen: Map<PluginNode, Set<object>>): Set<object> {
  const here = seen.get(contextOwner) ?? new Set()
  seen.set(contextOwner, here)
  return here
}

function depthOf({ contextOwner }: PluginNode): number {
  return ancestors(contextOwner).length
}

function schemasListed(plugin: PluginNode): PluginSchema[] {
  // An entry that is not a schema with an $id is reported with the other entries.
  return (plugin.options.schemas ?? []).flatMap((entry) => {
    const Model = typeof entry === 'function' ? (entry as Class) : undefined
    const schema: { readonly $id?: unknown } | undefined = Model === undefined ? entry : getSharedSchema(Model)
    return typeof schema?.$id === 'string' ? [{ schema, Model, plugin, isListed: true }] : []
  })
}

/** Removes models from plugins below a plugin that refers to the same models, because a context must not add schemas that it inherits. */
function dropRepeated(plugins: readonly PluginNode[], referred: readonly PluginSchema[]): void {
  const listing = plugins.filter(({ options }) => options.schemas !== undefined)
  for (const { schema, plugin: above } of referred)
    for (const plugin of listing) {
      const index = plugin.schemas.indexOf(schema)
      const isBelow = plugin !== above && ancestors(plugin).some((ancestor) => ancestor.contextOwner === above.contextOwner)
      if (index >= 0 && isBelow) plugin.schemas.splice(index, 1)
    }
}

/** Returns all models that a plugin refers to, directly or through other models, each with its schema. */
function modelsIn(plugin: PluginNode): Map<Class, object> {
  const models = new Map<Class, object>()
  const left: unknown[] = [schemasOf(plugin)]
  while (left.length > 0) {
    for (const { schema: reference } of findReferences(left.pop())) {
      const Model = modelOf(reference)
      const schema = Model && getSharedSchema(Model)
      if (schema === undefined || models.has(Model!)) continue
      models.set(Model!, schema)
      left.push(schema)
    }
  }
  return models
}

/**
 * Returns the values in which a plugin may refer to models: the schemas of the plugin, its routes, jobs and errors, and its declared
 * replies.
 */
function schemasOf({ Class: PluginClass, options, hooks, imports, routes, schemas }: PluginNode): unknown[] {
  const handlers = [options.errorHandler, options.notFoundHandler, ...routes.map((route) => route.options.errorHandler)]
  const used = [...hooks, ...routes.flatMap((route) => route.hooks)].map(({ hook }) => hook)
  const thrown = [options.throws, ...routes.map((route) => route.options.throws)].flatMap((classes) => classes ?? [])
  return [
    schemas,
    routes.map((route) => route.schema),
    (options.providers ?? []).map(
      (provider) => queueOptionsOf(provider)?.input ?? (isEventToken(provider) && eventOptionsOf(provider)?.payload),
    ),
    [...thrown, ...getThrown(used)].map((ErrorClass: { schema?: unknown } | undefined) => ErrorClass?.schema),
    [PluginClass, ...used, ...handlers].map((declaring) => getDeclaredReplies(declaring)?.responses),
    imports.flatMap((entry) => (isPluginNode(entry) ? [] : [entry.replies.responses])),
  ]
}
