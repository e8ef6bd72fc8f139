/** Tabs: what the blocks of a page become on the site. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMarkdownRenderer } from 'vitepress'
import { root } from '../pages/repository.mjs'
import { withTabs } from '../pages/tabs.mjs'

const page = `A

<!-- tabs -->

**JSON Schema**

<!-- samples/a.ts -->
\`\`\`ts
const a = { type: 'object' }
\`\`\`

**Zod**

\`\`\`ts
const b = z.object({})
\`\`\`

<!-- end of tabs -->

**B**

\`\`\`ts
const c = 1
\`\`\`
`

test('the blocks between the comments become tabs with their titles, other blocks stay', async () => {
  const text = withTabs(page)
  assert.equal(text.match(/\[(?:JSON Schema|Zod)\]/g).length, 2)
  assert.match(text, /<!-- samples\/a\.ts -->\n```ts \[JSON Schema\]\n/)
  assert.match(text, /:::\n\n\*\*B\*\*\n\n```ts\nconst c/)
  const html = (await createMarkdownRenderer(root)).render(text)
  assert.match(html, /vp-code-group[^]*<label[^>]*>JSON Schema<\/label>[^]*<label[^>]*>Zod<\/label>[^]*z\.?/)
})

test('a text among the tabs, or a block without its title, fails the build', () => {
  assert.throws(() => withTabs(page.replace('**Zod**', 'Or Zod:')), /Tabs are at least two blocks/)
  assert.throws(() => withTabs(page.replace('**Zod**', '')), /Tabs are at least two blocks/)
})
