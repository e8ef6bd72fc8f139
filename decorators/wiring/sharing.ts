/** How one plugin comes to see what another declares: an ancestor of both imports the other with `shared`. */
import type { Sharing } from './fault-texts/text.js'
import { hasOptions } from './imports.js'
import { ancestors, type PluginNode } from './nodes.js'

/**
 * The import that shows the declarations of one of these plugins to the plugin that needs them. If several declare the same, it is the one
 * that the fewest other plugins would see. Undefined if there is no class that could be written there.
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

/** The root is above all plugins. */
function commonAncestor(above: readonly PluginNode[], plugin: PluginNode): PluginNode {
  return ancestors(plugin).find((ancestor) => above.includes(ancestor))!
}
