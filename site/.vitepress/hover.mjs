/**
 * Blocks whose types can be looked at: with `<!-- hover -->` above the comment that names the sample of a block, the type of a name is shown
 * under the pointer. The compiler gets the whole sample, of which a region is shown, so it compiles as it does in the tests.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformerTwoslash } from '@shikijs/vitepress-twoslash'
import { createTwoslasher } from 'twoslash'
import ts from 'typescript'
import { root } from '../pages/repository.mjs'

const mark = /^<!-- hover -->\n<!-- (samples\/[\w./-]+)(?:#([\w-]+))? -->\n$/

/** A rule of markdown-it. */
export function showHovers(md) {
  md.core.ruler.push('hovers', ({ tokens }) => {
    let comments = ''
    for (const token of tokens) {
      const [, file, region] = mark.exec(comments) ?? []
      if (file !== undefined && token.type !== 'html_block') showHover(token, file, region)
      comments = token.type === 'html_block' ? comments + token.content : ''
    }
  })
}

function showHover(token, file, region) {
  if (token.type !== 'fence') throw new Error(`There is no block of code below <!-- hover --> and the name of ${file}`)
  // The title of a tab stays.
  token.info = token.info.replace(/^ts\b/, 'ts twoslash')
  token.content = wholeSample(file, region)
}

/**
 * The sample in its own folder, with marks of twoslash around the lines that the block does not show. It has a name of its own: twoslash
 * forgets a file after its block, and others import the sample.
 */
function wholeSample(file, region) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  const shown = shownLines(lines, region)
  if (!shown.includes(true)) throw new Error(`${file} has no region ${region}`)
  const text = lines.map((line, index) => {
    const begins = !shown[index] && (index === 0 || shown[index - 1]) ? '// ---cut-start---\n' : ''
    const ends = !shown[index] && (index === lines.length - 1 || shown[index + 1]) ? '\n// ---cut-end---' : ''
    return `${begins}${line}${ends}`
  })
  return `// ---cut-start---\n// @filename: ${file.replace(/\.ts$/, '.shown.ts')}\n// ---cut-end---\n${text.join('\n')}`
}

/** For each line whether it stands in the region, or in the file if there is no region; the marks of regions are never shown. */
function shownLines(lines, region) {
  const open = []
  return lines.map((line) => {
    const [, name] = /^\s*\/\/ ?#region ([\w-]+)/.exec(line) ?? []
    if (name !== undefined) open.push(name)
    else if (/^\s*\/\/ ?#endregion/.test(line)) open.pop()
    else return region === undefined || open.includes(region)
    return false
  })
}

const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['ES2023', 'ESNext.Disposable'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
}

/** The types in a block. It throws if the block has errors that it does not expect. */
export const readTypes = createTwoslasher({ vfsRoot: root.replace(/\/$/, ''), tsModule: ts, compilerOptions })

const seen = new Map()

/** The transformer of highlighted code. */
export const typeHovers = () =>
  transformerTwoslash({
    throws: true,
    twoslasher: readTypes,
    // VitePress renders a page for the browser, for the server and for the search.
    typesCache: { read: (code) => seen.get(code), write: (code, types) => void seen.set(code, types) },
    // The types of decorators are pages long, and nobody reads them there.
    twoslashOptions: { compilerOptions, filterNode: (node) => node.type !== 'hover' || node.text.length < 300 },
  })
