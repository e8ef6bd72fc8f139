/** A CPU profile of bundled modules, with the functions where the sources have them. */
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

const maps = new Map()

/** The source map of a bundle of alcove; `undefined` for another file, and for one that only exports what others contain. */
function mapOf(url) {
  if (!/\/dist\/(?:esm|cjs)\/[^/]+\.js$/.test(url) || url.includes('/node_modules/')) return undefined
  if (!maps.has(url)) {
    const file = new URL(`${url}.map`)
    maps.set(url, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined)
  }
  return maps.get(url)
}

/** Gives functions of alcove the URL of their source: `alcove:lib/schema/fast-json.ts`. */
export function inSources(profile) {
  const nodes = profile.nodes.map((node) => {
    const { url, lineNumber, columnNumber } = node.callFrame
    const { originalSource, originalLine } = mapOf(url)?.findEntry(lineNumber, columnNumber) ?? {}
    if (originalSource === undefined) return node
    const source = `alcove:${originalSource.replace(/^(?:\.\.?\/)+/, '')}`
    return { ...node, callFrame: { ...node.callFrame, url: source, lineNumber: originalLine } }
  })
  return { ...profile, nodes }
}
