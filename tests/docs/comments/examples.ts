/** The examples in doc comments, as files that a compiler reads. */
import { readText } from '../../fixtures/project.js'
import { filesOf } from '../pages.js'

export interface Example {
  /** `lib/types/server.ts:69` */
  place: string
  code: string
}

/** What an example may use without importing it, by module. */
const modules: Readonly<Record<string, string>> = {
  'decorators/index.ts': 'alcove',
  'lib/index.ts': 'alcove',
  'decorators/contract/index.ts': 'alcove/contract',
}

/** All examples in the doc comments of the sources. */
export function findExamples(): Example[] {
  return ['lib', 'decorators'].flatMap(filesOf).flatMap((path) => {
    const text = readText(path)
    return [...text.matchAll(/^ *\* ```ts\n((?: *\*.*\n)*?) *\* ```$/gm)].map(({ index, 1: code }) => ({
      place: `${path}:${text.slice(0, index).split('\n').length}`,
      code: code!.replaceAll(/^ *\* ?/gm, ''),
    }))
  })
}

/** The names that a module exports in lists, as the entries of the package do. */
function exportedNames(path: string): string[] {
  return [...readText(path).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    list!
      .split(',')
      .map((name) =>
        name
          .replace(/^[^]*\bas\b/, '')
          .replace(/\btype\b/, '')
          .trim(),
      )
      .filter((name) => /^\w+$/.test(name) && name !== 'default'),
  )
}

/**
 * An example as a module: with imports of the names that it does not declare, first those of alcove, then those of the preamble. `…` stands
 * for any code.
 */
export function moduleOf({ place, code }: Example, preamble: readonly string[]): string {
  const text = code.replaceAll('{ … }', '{ return undefined as any }').replaceAll(/ …$/gm, ' {}')
  const withoutComments = text.replaceAll(/(?<=\s)\/\/ .*$/gm, '')
  const isOpen = (name: string): boolean =>
    new RegExp(`(?<![.\\w$'/-])${name}\\b(?!['\\w])`).test(withoutComments) &&
    !new RegExp(`\\b(?:class|const|let|function|interface|type) (?:\\{[^}]*\\b)?${name}\\b|^import .*\\b${name}\\b`, 'm').test(
      withoutComments,
    )
  const taken = new Set<string>()
  const first = place.startsWith('lib/fastify/') ? [['lib/fastify/index.ts', 'alcove/fastify']] : []
  const imports = [
    ...[...first, ...Object.entries(modules)].map(([path, from]) => [from!, exportedNames(path!)] as const),
    ['./preamble.js', preamble] as const,
  ]
  const lines = imports.flatMap(([from, names]) => {
    const used = names.filter((name) => !taken.has(name) && isOpen(name))
    for (const name of used) taken.add(name)
    return used.length === 0 ? [] : [`import { ${used.join(', ')} } from '${from}'`]
  })
  return `${lines.join('; ')}\nexport {}\n${text}`
}

/** The names that the preamble declares or passes on. */
export function preambleNames(path: string): string[] {
  const declared = /^export (?:declare )?(?:abstract )?(?:(?:const|class|function|interface)|\* as) (\w+)/gm
  return [...exportedNames(path), ...[...readText(path).matchAll(declared)].map(([, name]) => name!)]
}
