/**
 * The lines of `alcove.lock` below a plugin and below a route. For each keyword there are a function that writes its lines and a function
 * that reads one line.
 */
import type { DeprecationDescription, SecurityRequirement } from '../../lib/index.js'
import { findDeprecationProblems } from '../../lib/internal.js'
import { type ProviderScope, providerScopes } from '../declare/injectable.js'
import type { LockedHook, LockedJob, LockedNeed, LockedPlugin, LockedProvider, LockedRoute } from './lock-types.js'
import { isName, isWord, itemsOf, type Word, writeName, writePath } from './text.js'

/** A plugin or route whose lines are being read: all its fields are writable. */
export type Unfinished<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

/** The functions that write and read the lines of one keyword. */
interface Line<T> {
  /** Returns the text after the keyword for each line. */
  write(data: T): readonly string[]
  /** Reads the words after the keyword into `unfinished`. @returns false if {@link write} does not write such words */
  read(words: readonly Word[], unfinished: Unfinished<T>): boolean
}

type Lines<T> = Readonly<Record<string, Line<T>>>

const written = (items: readonly string[]): string[] => (items.length === 0 ? [] : [items.join(', ')])
const textOf = (words: readonly Word[]): string | undefined => (words.length === 1 && isName(words[0]) ? words[0].text : undefined)

/** Reads a path such as `App > Users`. @returns `undefined` if the words are not a path */
export function readPath(words: readonly Word[]): string | undefined {
  const isPath = words.length % 2 === 1 && words.every((word, index) => (index % 2 === 0 ? isName(word) : isWord(word, '>')))
  return isPath
    ? words
        .filter((_, index) => index % 2 === 0)
        .map(({ text }) => text)
        .join(' > ')
    : undefined
}

function readLifetime(words: readonly Word[] = []): ProviderScope | undefined {
  const text = textOf(words)
  return text !== undefined && (providerScopes as readonly string[]).includes(text) ? (text as ProviderScope) : undefined
}

/** Makes the functions for a line with one name, which may be absent. */
function single(key: 'prefix' | 'notFound'): Line<LockedPlugin> {
  return {
    write: ({ [key]: value = '' }) => (value === '' ? [] : [writeName(value)]),
    read: (words, unfinished) => {
      const text = textOf(words)
      if (text !== undefined) unfinished[key] = text
      return text !== undefined
    },
  }
}

/** Makes the functions for a line of values by name: `200 3f2a91c0d1e2, 404 77aa01b2c3d4`. */
function byName<K extends 'constraints' | 'input' | 'replies' | 'limits'>(
  key: K,
  parse: (text: string) => LockedRoute[K][string] | undefined,
): Line<LockedRoute> {
  return {
    write: (route) => written(Object.entries(route[key]).map(([name, value]) => `${writeName(name)} ${writeName(String(value))}`)),
    read: (words, unfinished) => {
      const found: Record<string, string | number> = {}
      for (const [name, value, ...others] of itemsOf(words)) {
        const parsed = isName(value) ? parse(value.text) : undefined
        if (!isName(name) || parsed === undefined || others.length > 0 || Object.hasOwn(found, name.text)) return false
        // Names such as `__proto__` are names like any other.
        Object.defineProperty(found, name.text, { value: parsed, enumerable: true, configurable: true, writable: true })
      }
      unfinished[key] = found as Unfinished<LockedRoute>[K]
      return true
    },
  }
}

const digest = (text: string): string | undefined => (/^(?:[0-9a-f]{12}|opaque|empty|undeclared)$/.test(text) ? text : undefined)
const limit = (text: string): number | undefined => (/^[0-9]{1,15}$/.test(text) ? Number(text) : undefined)

export const pluginLines: Lines<LockedPlugin> = {
  prefix: single('prefix'),
  shared: {
    write: ({ isShared }) => (isShared ? [''] : []),
    read: (words, unfinished) => words.length === 0 && (unfinished.isShared = true),
  },
  gives: {
    write: ({ gives }) =>
      gives.map(({ name, lifetime, isPrivate }) => [writeName(name), lifetime, ...(isPrivate ? ['private'] : [])].join(', ')),
    read: (words, { gives }) => add(gives, readProvider(words)),
  },
  needs: {
    write: ({ needs }) =>
      needs.map(({ name, provider }) =>
        provider === undefined ? `${writeName(name)}, nothing` : `${writeName(name)}, ${provider.lifetime}, of ${writePath(provider.from)}`,
      ),
    read: (words, { needs }) => add(needs, readNeed(words)),
  },
  runs: {
    write: ({ runs }) => runs.map(writeName),
    read: (words, { runs }) => add(runs, textOf(words)),
  },
  notFound: single('notFound'),
  job: {
    write: ({ jobs }) =>
      jobs.map(({ name, lifetime, kind, when, input }) =>
        [writeName(name), lifetime, `${kind} ${writeName(when)}`, ...(input === undefined ? [] : [`input ${input}`])].join(', '),
      ),
    read: (words, { jobs }) => add(jobs, readJob(words)),
  },
}

export const routeLines: Lines<LockedRoute> = {
  constraints: byName('constraints', (text) => text),
  handler: {
    write: ({ handler, lifetime }) => [`${writeName(handler)}, ${lifetime}`],
    read: (words, unfinished) => {
      const [name = [], last, ...others] = itemsOf(words)
      const [handler, lifetime] = [textOf(name), readLifetime(last)]
      if (handler === undefined || lifetime === undefined || lifetime === 'transient' || others.length > 0) return false
      unfinished.handler = handler
      unfinished.lifetime = lifetime
      return true
    },
  },
  deprecated: {
    write: ({ deprecated }) => (deprecated === undefined ? [] : [deprecated === true ? '' : writeDeprecation(deprecated)]),
    read: (words, unfinished) => {
      const deprecated = words.length === 0 || readDeprecation(words)
      if (deprecated !== undefined) unfinished.deprecated = deprecated
      return deprecated !== undefined
    },
  },
  hooks: {
    write: ({ hooks }) => written(hooks.map(({ hook, name, from }) => `${writeName(hook)} ${writeName(name)} (${writePath(from)})`)),
    read: (words, { hooks }) => itemsOf(words).every((item) => add(hooks, readHook(item))),
  },
  security: {
    write: ({ security }) => written(security.map(writeRequirement)),
    read: (words, { security }) => itemsOf(words).every((item) => add(security, readRequirement(item))),
  },
  input: byName('input', digest),
  replies: byName('replies', digest),
  limits: byName('limits', limit),
}

function add<T>(to: T[], found: T | undefined): boolean {
  if (found !== undefined) to.push(found)
  return found !== undefined
}

function readProvider(words: readonly Word[]): LockedProvider | undefined {
  const [token = [], second, mark, ...others] = itemsOf(words)
  const [name, lifetime] = [textOf(token), readLifetime(second)]
  if (name === undefined || lifetime === undefined || others.length > 0) return undefined
  if (mark !== undefined && !(mark.length === 1 && isWord(mark[0], 'private'))) return undefined
  return { name, lifetime, isPrivate: mark !== undefined }
}

function readJob(words: readonly Word[]): LockedJob | undefined {
  const [first = [], second, [kind, when, ...surplus] = [], input, ...others] = itemsOf(words)
  const [name, lifetime] = [textOf(first), readLifetime(second)]
  const isComplete = name !== undefined && lifetime !== undefined && lifetime !== 'transient' && surplus.length + others.length === 0
  if (!isComplete || !isName(kind) || !isName(when) || !isKind(kind.text)) return undefined
  const job = { name, lifetime, kind: kind.text, when: when.text }
  if (input === undefined) return job
  const [word, value, ...more] = input
  const found = isName(value) && more.length === 0 ? digest(value.text) : undefined
  return isName(word) && word.text === 'input' && found !== undefined ? { ...job, input: found } : undefined
}

function isKind(text: string): text is LockedJob['kind'] {
  return ['queue', 'cron', 'every', 'event'].includes(text)
}

function readNeed(words: readonly Word[]): LockedNeed | undefined {
  const [token = [], second = [], [of, ...path] = [], ...others] = itemsOf(words)
  const name = textOf(token)
  if (name === undefined || others.length > 0) return undefined
  if (second.length === 1 && isWord(second[0], 'nothing') && of === undefined) return { name, provider: undefined }
  const [lifetime, from] = [readLifetime(second), readPath(path)]
  return lifetime === undefined || from === undefined || !isWord(of, 'of') ? undefined : { name, provider: { lifetime, from } }
}

/** Writes the dates and the link of a deprecation: `since 2026-06-30, sunset 2026-12-31, link /changes`. */
function writeDeprecation({ since, sunset, link }: DeprecationDescription): string {
  return Object.entries({ since, sunset, link })
    .flatMap(([name, value]) => (value === undefined ? [] : `${name} ${writeName(value)}`))
    .join(', ')
}

function readDeprecation(words: readonly Word[]): DeprecationDescription | undefined {
  const found = new Map<string, string>()
  for (const [name, value, ...others] of itemsOf(words)) {
    if (!isName(name) || !isName(value) || others.length > 0 || found.has(name.text)) return undefined
    found.set(name.text, value.text)
  }
  const deprecated = Object.fromEntries(found)
  if (findDeprecationProblems(deprecated).length > 0) return undefined
  return deprecated as unknown as DeprecationDescription // it has no problems
}

function readHook([hook, name, open, ...rest]: readonly Word[]): LockedHook | undefined {
  const from = isWord(rest.at(-1), ')') ? readPath(rest.slice(0, -1)) : undefined
  return isName(hook) && isName(name) && isWord(open, '(') && from !== undefined ? { hook: hook.text, name: name.text, from } : undefined
}

/** Writes the schemes and scopes of one security requirement, which a request must satisfy together: `oauth (read write) + key`. */
export function writeRequirement(requirement: SecurityRequirement): string {
  const schemes = Object.entries(requirement).map(([name, scopes]) =>
    scopes.length === 0 ? writeName(name) : `${writeName(name)} (${scopes.map(writeName).join(' ')})`,
  )
  return schemes.length === 0 ? 'none' : schemes.join(' + ')
}

function readRequirement(words: readonly Word[]): SecurityRequirement | undefined {
  if (words.length === 1 && isWord(words[0], 'none')) return {}
  const found = new Map<string, string[]>()
  let at = 0
  do {
    const name = words[at++]
    if (!isName(name) || found.has(name.text)) return undefined
    const scopes: string[] = []
    found.set(name.text, scopes)
    if (!isWord(words[at], '(')) continue
    for (at++; isName(words[at]); at++) scopes.push(words[at]!.text)
    if (scopes.length === 0 || !isWord(words[at++], ')')) return undefined
  } while (isWord(words[at++], '+'))
  return at === words.length + 1 ? Object.fromEntries(found) : undefined
}
