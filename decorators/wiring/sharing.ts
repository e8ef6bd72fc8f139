/** Finds the import that shows one plugin what another plugin declares: an ancestor of both imports the other plugin with `shared`. */
import type { Sharing } from './fault-texts/text.js'
import { hasOptions } from './imports.js'
import { ancestors, type PluginNode } from './nodes.js'

/**
 * Returns the import that would show the declarations of one of the plugins `declaring` to the plugin `needing`. If several plugins declare
 * the same, it is the import that the fewest other plugins would see. `undefined` if no class can be named in such an import.
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

/** Returns the nearest ancestor of a plugin that is in the list `above`. There is always one, because the root is above all plugins. */
function commonAncestor(above: readonly PluginNode[], plugin: PluginNode): PluginNode {
  return ancestors(plugin).find((ancestor) => above.includes(ancestor))!
}
