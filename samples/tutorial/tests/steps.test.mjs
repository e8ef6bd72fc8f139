/** Each step says how it differs from the one before, and the steps share their files with the templates. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  folderOf,
  manifestOf,
  readBlocks,
  readFiles,
  readPage,
  root,
  steps,
  templateFiles,
  templateVersion,
  withoutRegions,
} from './steps.mjs'

const { dependencies, devDependencies } = manifestOf(join(root, 'samples/tutorial'))

for (const [index, step] of steps.entries()) {
  const before = index === 0 ? templateFiles('app') : readFiles(folderOf(steps[index - 1]))

  test(`the table of docs/tutorial/${step}.md lists the files that differ from the step before`, () => {
    const after = readFiles(folderOf(step))
    const differing = [...new Set([...before.keys(), ...after.keys()])].filter((path) => isDifferent(before.get(path), after.get(path)))
    const [table] = /^\| file \|(?:.+\n)*/m.exec(readPage(step))
    const listed = [...table.matchAll(/^\| \[`([^`]+)`\]/gm)].map(([, path]) => path)
    assert.deepEqual(new Set(listed), new Set(differing.filter((path) => !path.endsWith('.md'))))
  })

  test(`the blocks of docs/tutorial/${step}.md have the name of their file above them, and the imports that they need`, () => {
    const files = readFiles(folderOf(step))
    // Of a group of tabs, the first form stands in the step.
    const page = readPage(step).replaceAll(/^<!-- tabs -->\n\n\*\*.+\*\*\n\n([^]*?\n```\n)[^]*?^<!-- end of tabs -->$/gm, '$1')
    for (const [note, path] of page.matchAll(new RegExp(`^<!-- samples/tutorial/${step}/([^ #]+).* -->$`, 'gm')))
      assert.ok(page.includes(`**\`${path}\`**\n\n${note}\n`), `${path} stands above its block`)
    for (const { note, code } of readBlocks(page)) {
      const [, path] = new RegExp(`^samples/tutorial/${step}/([^ #]+\\.ts)`).exec(note) ?? []
      if (path === undefined) continue
      const [imported, own] = [files.get(path), code].map((text) => text.match(/^import [^]*?'.*'$/gm)?.join('\n') ?? '')
      const body = code.replaceAll(/^import [^]*?'.*'$/gm, '')
      const needed = imported.match(/\b[A-Za-z]\w*\b(?=[,} ])/g)?.filter((name) => !['import', 'type', 'from', 'as'].includes(name)) ?? []
      const missing = needed.filter((name) => new RegExp(`\\b${name}\\b`).test(body) && !new RegExp(`\\b${name}\\b`).test(own))
      assert.deepEqual(missing, [], `the block of ${path} imports what it uses`)
    }
  })

  test(`docs/tutorial/${step}.md ends with a recap and leads to the next step`, () => {
    const next = steps[index + 1]
    assert.match(
      readPage(step),
      new RegExp(`^## Recap\n\n- [^]*^Next:${next === undefined ? '' : ` \\[\\d+\\. .+\\]\\(${next}\\.md\\)`}`, 'm'),
    )
  })

  test(`docs/tutorial/${step}.md installs the packages that are new`, () => {
    const installed = [...readPage(step).matchAll(/^npm install (.+)$/gm)].flatMap(([, words]) => words.split(' '))
    const known = index === 0 ? [] : packagesOf(manifestOf(folderOf(steps[index - 1])))
    const added = index === 0 ? [] : packagesOf(manifestOf(folderOf(step))).filter((name) => !known.includes(name))
    assert.deepEqual(new Set(installed.filter((word) => !word.startsWith('-'))), new Set(added))
  })

  test(`the scripts that docs/tutorial/${step}.md shows are those of its package.json`, () => {
    const own = manifestOf(folderOf(step))
    for (const { language, code } of readBlocks(readPage(step)))
      if (language === 'json')
        for (const [name, script] of Object.entries(JSON.parse(code).scripts)) assert.equal(own.scripts[name], script, name)
  })

  test(`the packages of ${step} are those that are installed here`, () => {
    const own = manifestOf(folderOf(step))
    for (const [name, range] of Object.entries({ ...own.dependencies, ...own.devDependencies }))
      assert.equal(range, name === 'alcove' ? templateVersion() : (dependencies[name] ?? devDependencies[name]), name)
  })
}

// The database of `alcove new --api` serves its queue too.
test('what the last step has in common with the application of `alcove new --api` is the same there', () => {
  const ours = readFiles(folderOf(steps.at(-1)))
  const theirs = templateFiles('api')
  const shared = [
    'Dockerfile',
    '.dockerignore',
    'compose.yaml',
    'src/auth/auth.plugin.ts',
    'src/auth/passwords.ts',
    'src/auth/tokens.ts',
    'src/database/migrations.ts',
    'src/health.ts',
    'src/users/user.models.ts',
    'src/users/users.plugin.ts',
    'src/users/users.ts',
  ]
  for (const path of shared) assert.ok(!isDifferent(ours.get(path), theirs.get(path)), path)
})

/** The lines that mark regions are no difference. */
function isDifferent(one, other) {
  return withoutRegions(one) !== withoutRegions(other)
}

function packagesOf(manifest) {
  return [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)]
}
