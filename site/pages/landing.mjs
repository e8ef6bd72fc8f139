/** The first page of the site: docs/index.md as a landing page, with the sentences of the README, the first app in tabs and what is proved. */
import { posix } from 'node:path'
import { readProofs } from './proved.mjs'

const forms = [
  { title: 'Classes', file: 'samples/first/app.ts' },
  { title: 'TypeBox', file: 'samples/first/typebox.ts' },
  { title: 'Zod', file: 'samples/first/zod.ts' },
  { title: 'Without classes', file: 'samples/first/functions.ts' },
]

/**
 * Returns the Markdown of the page, with links as docs/index.md has them.
 * @param index the text of docs/index.md
 * @param read returns the text of a file of the repository
 * @throws if docs/index.md or the README has lost a part that the page shows
 */
export function landingPage(index, read) {
  const [head, ...sections] = index.split(/^## /m)
  const section = (title) => {
    const found = sections.find((text) => text.startsWith(`${title}\n`))
    if (found === undefined) throw new Error(`docs/index.md has no heading "${title}", which the home page of the site shows`)
    return found.slice(title.length).trim()
  }
  const different = section('What is different')
  const [picture] = /^!\[[^\]]*\]\([^)]*\)$/m.exec(different) ?? []
  const belowCode = head.split(/^```$/m)[1]?.trim()
  if (picture === undefined || belowCode === undefined)
    throw new Error('docs/index.md has no picture below "What is different", or no code, which the home page of the site shows')
  const [first, rest] = sentencesOf(read('README.md'))
  return `<div class="hero"><div>

# alcove

${first}

${rest}

[Quick start](start/quick-start.md){.button .main} [Tutorial](tutorial/index.md){.button} [Guide](guide/index.md){.button}

</div>

${picture}

</div>

## A first app

The schemas of the routes give the handlers their types. Write them as JSON Schema or with a library, and the app with classes or without: all four
answer the same. With a toolchain that does not emit the types of constructors, and with standard decorators, a class names what it needs:
\`static inject = [Greetings] as const\` ([toolchains](reference/toolchains.md)).

::: code-group

${forms.map(({ title, file }) => `<!-- hover -->\n<!-- ${file} -->\n\`\`\`ts [${title}]\n${read(file)}\`\`\``).join('\n\n')}

:::

${belowCode}

## What is different

<div class="cards">

${different.replace(picture, '').trim()}

</div>

## What is proved

<div class="cards proofs">

${readProofs(read).map(proof).join('\n')}

</div>

Where the time of a request goes, and the workloads in which alcove loses, are [measured](explanation/performance.md) too.

## Where to go

<div class="ways">

${section('Where to go')}

</div>
`
}

/** The first sentence of the README, and those after it. */
function sentencesOf(readme) {
  const [, paragraph] = /^# alcove\n\n([^]+?)\n\n/.exec(readme) ?? []
  const [, first, rest] = /^(.+?\.)\s+(.+)$/s.exec(paragraph ?? '') ?? []
  if (rest === undefined) throw new Error('README.md does not begin with its heading and a paragraph of some sentences')
  return [first, rest]
}

function proof({ figure, text, link }) {
  return `- **${figure}** ${text} [${link.text}](${posix.relative('docs', link.url)})`
}
