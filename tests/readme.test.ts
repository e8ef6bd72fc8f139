/** The README, the pages for users of other frameworks and the guide show samples word for word, and these run. `npm run readme` writes the samples into them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testServer } from 'alcove'
import { App } from '../samples/first/app.js'

const root = new URL('../../', import.meta.url)
const pages = ['README.md', 'AGENTS.md', 'docs/how-to/coming-from-nest.md', 'docs/how-to/coming-from-fastify.md']
const block = /<!-- (samples\/[\w./-]+)(?:#(\w+))? -->\n```ts\n([\s\S]*?)```/g

async function withSamples(page: string): Promise<string> {
  const sources = new Map<string, string>()
  for (const [, path] of page.matchAll(block)) sources.set(path!, await readFile(new URL(path!, root), 'utf8'))
  return page.replaceAll(block, (_found, path: string, region: string | undefined) => {
    const source = sources.get(path)!
    return `<!-- ${path}${region === undefined ? '' : `#${region}`} -->\n\`\`\`ts\n${region === undefined ? source : regionOf(source, region)}\`\`\``
  })
}

/** The text between `// #region name` and `// #endregion`. */
function regionOf(source: string, name: string): string {
  const [, rest] = source.split(`// #region ${name}\n`)
  assert.ok(rest !== undefined, `there is no region ${name}`)
  return rest.slice(0, rest.indexOf('// #endregion'))
}

/** Pages with other blocks too. */
const guides = ['docs/guide/guide.md', 'docs/how-to/contract.md', 'docs/how-to/client.md']

for (const path of [...pages, ...guides]) {
  test(`every ${guides.includes(path) ? 'marked ' : ''}block of code in ${path} is a sample, word for word`, async () => {
    const file = new URL(path, root)
    const page = await readFile(file, 'utf8')
    const current = await withSamples(page)
    if (process.env['UPDATE_README'] === '1') return writeFile(file, current)
    const marked = [...page.matchAll(block)].length
    assert.ok(guides.includes(path) ? marked > 0 : marked === page.match(/```ts/g)?.length, `${marked} blocks are marked`)
    assert.equal(page, current, 'run `npm run readme`')
  })
}

test('the calls in the README get the answers that it shows', async () => {
  await using app = await testServer(App)
  const readme = await readFile(new URL('README.md', root), 'utf8')
  const calls = [...readme.matchAll(/^curl localhost:3000(\S+)(?: --json '(.*?)')? +# (\d+) (.*)$/gm)]
  assert.equal(calls.length, 3)
  for (const [, url, payload, status, shown] of calls) {
    const response = await app.inject({
      method: payload ? 'POST' : 'GET',
      url: url!,
      ...(payload && { payload, headers: { 'content-type': 'application/json' } }),
    })
    assert.equal(response.statusCode, Number(status))
    assert.ok(response.body === shown || response.json().message === shown, `${response.body} for ${shown}`)
  }
})

test('the server without classes prints the output that the README shows', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('../samples/first/programmatic.js', import.meta.url)),
  ])
  assert.equal(stdout.trim(), '{"caller":"ada"} {"caller":"not visible here"}')
})

test('every relative link of the pages leads to a file', async () => {
  const folder = new URL('docs/', root)
  const all = [
    new URL('README.md', root),
    ...(await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md')).map((name) => new URL(name, folder)),
  ]
  for (const page of all) {
    const text = (await readFile(page, 'utf8')).replaceAll(/```[^]*?```|`[^`\n]*`/g, '')
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g))
      assert.ok(existsSync(new URL(target!, page)), `${page.pathname} links ${target}`)
  }
})
