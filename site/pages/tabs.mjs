/**
 * Tabs: between `<!-- tabs -->` and `<!-- end of tabs -->` each block of code has its title in bold above it, so that hosts of repositories show the
 * blocks one below the other. The site shows them as tabs.
 */
const group = /^<!-- tabs -->\n([^]*?)^<!-- end of tabs -->$/gm
const tab = /\*\*([^*\n]+)\*\*\n\n((?:<!-- .* -->\n)*)(`{3,})(\w+)\n([^]*?)^\3$/gm

/**
 * Returns the Markdown with its groups of blocks as groups of code of VitePress.
 * @throws if a group has anything else than titles and blocks
 */
export function withTabs(markdown) {
  return markdown.replaceAll(group, (_, body) => {
    const tabs = [...body.matchAll(tab)]
    const rest = body.replaceAll(tab, '').trim()
    if (tabs.length < 2 || rest !== '')
      throw new Error(`Tabs are at least two blocks, each below its title in bold (**Zod**), and nothing else:\n${rest || body}`)
    const blocks = tabs.map(([, title, comments, fence, language, code]) => `${comments}${fence}${language} [${title}]\n${code}${fence}`)
    return `::: code-group\n\n${blocks.join('\n\n')}\n\n:::`
  })
}
