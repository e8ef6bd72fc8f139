/** Names values in errors, and checks the kinds of values. */
import type { Class } from '../declare/metadata.js'

export { isClass } from '../../lib/internal.js'

/** Returns the name of a value in errors: a function has its own name, an object the name of its class. */
export function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name || 'an anonymous function'
  if (value === undefined) return 'undefined (a class used before its declaration, or a circle of imports)'
  if (value !== null && typeof value === 'object') return value.constructor?.name ?? 'an object'
  return JSON.stringify(value) ?? typeof value
}

/** Returns the text in errors for a value that is no function or class where one is expected. The text tells an instance from its class. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return 'a list'
  const name = nameOf(value)
  return value !== null && typeof value === 'object' && name !== 'Object' && name !== 'an object' ? `an instance of ${name}` : name
}

/**
 * Whether `new` can construct a value. True for classes, and for the functions that compilers make of classes; false for arrow functions
 * and methods.
 */
export function isConstructible(value: unknown): value is Class {
  return typeof value === 'function' && Object.hasOwn(value, 'prototype')
}

/** A provider or class that has dependencies, for errors. */
export interface Consumer {
  readonly name: string
  /** The plugin that lists the provider or class. */
  readonly plugin: { readonly name: string; readonly path: string }
}

/** Returns the name of a provider or class with dependencies in errors: `Repo (in App > UsersPlugin)`. */
export function labelOf({ name, plugin }: Consumer): string {
  return `${name} (in ${plugin.path})`
}

/** Returns the path of a provider or class with dependencies: `App > UsersPlugin > Repo`. */
export function consumerPath({ name, plugin }: Consumer): string {
  return `${plugin.path} > ${name}`
}
