/** Prints what CHANGELOG.md says of one version: `node .ci/release-notes.mjs 0.1.0`. */
import { readFileSync } from 'node:fs'

const version = process.argv[2]
const sections = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8').split(/^## /m)
const notes = sections.find((section) => section.startsWith(`[${version}]`) || section.startsWith(`${version} `))
if (version === undefined || notes === undefined) {
  console.error(`CHANGELOG.md has no section for ${version ?? 'a version: node .ci/release-notes.mjs 0.1.0'}.`)
  process.exit(1)
}
console.log(notes.slice(notes.indexOf('\n')).trim())
