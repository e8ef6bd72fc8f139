/** The application's changes of ajv: the options `jsv.plugins` and `jsv.onCreate`. */
import type { Ajv as AjvInstance } from 'ajv'
import * as ajvModule from 'ajv'
import type { JsvOptions } from '../../types/compilers.js'
import { addFormats } from './formats.js'
import { helpers } from './keywords.js'

const { _ } = ajvModule

type Changes = Pick<JsvOptions, 'plugins' | 'onCreate'>

/** Whether functions of the application (`jsv.plugins`, `jsv.onCreate`) change ajv. */
export function isExtended({ plugins = [], onCreate }: Changes): boolean {
  return plugins.length > 0 || onCreate !== undefined
}

/** A plugin of ajv: a function, with its options if there are any. */
interface JsvPlugin {
  readonly apply: (jsv: AjvInstance, options?: unknown) => unknown
  readonly options: unknown
}

/** Reads the entries of `jsv.plugins`, each a function or `[function, options]`. */
export function pluginsOf({ plugins = [] }: Changes): JsvPlugin[] {
  return plugins.map((entry) => {
    const [apply, options] = [entry].flat() as [JsvPlugin['apply'], unknown?]
    return { apply, options }
  })
}

/** Adds the formats to an instance of ajv, then lets the plugins and `onCreate` of the application change the instance. */
export function extendInstance(jsv: AjvInstance, changes: Changes): void {
  const plugins = pluginsOf(changes)
  // If the application has ajv-formats among its plugins, that plugin alone decides on the formats.
  if (!plugins.some(({ apply }) => apply.name === 'formatsPlugin')) addFormats(jsv)
  const before = { ...jsv.formats }
  const codeOfFormats = jsv.opts.code.formats
  for (const { apply, options } of plugins) apply(jsv, options)
  changes.onCreate?.(jsv)
  const isOwn = codeOfFormats !== undefined && jsv.opts.code.formats === codeOfFormats
  // The code of a build then needs the formats of an instance, with those of the plugins.
  if (isOwn && Object.entries(jsv.formats).some(([name, format]) => format !== before[name]))
    jsv.opts.code.formats = _`helpers.formatsOfInstance`
}

/**
 * Returns the functions and formats that the code of a build refers to, if plugins extend ajv. An instance of ajv is made only for code
 * that needs its formats.
 */
export function helpersOf(instance: () => AjvInstance): object {
  return {
    ...helpers,
    get formatsOfInstance() {
      return instance().formats
    },
  }
}

/** Finds the keywords within schemas that are defined by functions, so that no code can be written for them. */
export function findKeywordsWithoutCode(jsv: AjvInstance, schemas: readonly unknown[]): string[] {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    for (const [key, each] of Object.entries(value)) {
      const keyword = Array.isArray(value) ? false : jsv.getKeyword(key)
      if (typeof keyword === 'object' && !('code' in keyword) && ('validate' in keyword || 'compile' in keyword)) found.add(key)
      visit(each)
    }
  }
  for (const schema of schemas) visit(schema)
  return [...found]
}
