/**
 * Finds the import to write so that one plugin sees the declarations of another: an ancestor of both must import the other plugin with
 * `shared`.
 */
import type { Sharing } from './fault-texts/text.js'
import { hasOptions } from './imports.js'
import { ancestors, type PluginNode } from './nodes.js'

/**
 * Returns the import to write so that the plugin `needing` sees the declarations of one of the plugins `declaring`. If there are several
 * such imports, the one that the fewest other plugins would see is returned. Returns `undefined` if the declaring plugins have no class
 * name to write.
 */
export function howToShare(needing: PluginNode, declaring: readonly PluginNode[]): Sharing | undefined {
  const above = ancestors(needing)
  const nearness = (plugin: PluginNode): number => above.indexOf(commonAncestor(above, plugin))
  const [plugin] = declaring.filter(({ Class }) => Class.name !== '').toSorted((a, b) => nearness(a) - nearness(b))
  if (plugin?.parent === undefined) return undefined
  const importer = commonAncestor(above, plugin)
  const withOptions = hasOptions(plugin.importOptions)
  return {
    plugin: withOptions ? `use(${plugin.Class.name}, …)` : plugin.Class.name,
    importer: importer.name,
    // An import with options would make a second instance beside the shared one.
    insteadOf: withOptions && plugin.parent !== importer ? plugin.parent.name : undefined,
  }
}

/** Returns the nearest ancestor of a plugin that is in the list `above`. The root is always in the list. */
function commonAncestor(above: readonly PluginNode[], plugin: PluginNode): PluginNode {
  return ancestors(plugin).find((ancestor) => above.includes(ancestor))!
}
