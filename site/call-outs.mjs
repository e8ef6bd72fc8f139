/**
 * Call-outs (`> [!WARNING]`) in the Markdown that the site offers beside its pages, and in `llms-full.txt`. VitePress renders them on the pages, but
 * the plugin that writes the Markdown escapes their bracket.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Takes the escapes of call-outs out of a text: `> \[!NOTE]`. */
export function unescapeCallOuts(text) {
  return text.replaceAll(/^> \\\[!(?=[A-Z]+\]$)/gm, '> [!')
}

/** Writes the call-outs of all files of Markdown in a folder as the pages have them. */
export function keepCallOuts(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:md|txt)$/.test(name))
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    const kept = unescapeCallOuts(text)
    if (kept !== text) writeFileSync(join(folder, file), kept)
  }
}
