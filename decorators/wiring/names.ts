/** How errors name values, and what kind of values these are. */
import type { Class } from '../declare/metadata.js'

/** How errors name a value: a function by its name, an object by its class. */
export function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name || 'an anonymous function'
  if (value === undefined) return 'undefined (a class used before its declaration, or a circle of imports)'
  if (value !== null && typeof value === 'object') return value.constructor?.name ?? 'an object'
  return JSON.stringify(value) ?? typeof value
}

/** How errors name a value that should be a function or a class: an instance differs from its class. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return 'a list'
  const name = nameOf(value)
  return value !== null && typeof value === 'object' && name !== 'Object' && name !== 'an object' ? `an instance of ${name}` : name
}

/** Whether a value is a class, as `class` declares it, and not another function. */
export function isClass(value: unknown): value is Class {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}

/** Whether `new` can construct a value. Compilers make classes of old functions, but never of arrow functions and methods. */
export function isConstructible(value: unknown): value is Class {
  return typeof value === 'function' && Object.hasOwn(value, 'prototype')
}

/** Something that asks for providers: a provider, or a class that is constructed. */
export interface Consumer {
  readonly name: string
  /** The plugin that lists it. */
  readonly plugin: { readonly name: string; readonly path: string }
}

/** How errors name it: `Repo (in App > UsersPlugin)`. */
export function labelOf({ name, plugin }: Consumer): string {
  return `${name} (in ${plugin.path})`
}

/** Its path: `App > UsersPlugin > Repo`. */
export function placeOf({ name, plugin }: Consumer): string {
  return `${plugin.path} > ${name}`
}
