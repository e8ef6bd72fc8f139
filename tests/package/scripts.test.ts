/** The scripts of the project, which no compiler reads: whatever they import from the build exists there. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { project } from '../fixtures/project.js'

interface Import {
  readonly script: string
  readonly module: string
  readonly names: readonly string[]
}

const scripts = ['.ci', 'bench', 'samples', 'site', 'tests'].flatMap(scriptsIn)

function scriptsIn(folder: string): string[] {
  return readdirSync(join(project, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : scriptsIn(path)
    return entry.name.endsWith('.mjs') ? [path] : []
  })
}

function importsOf(script: string): Import[] {
  const text = readFileSync(join(project, script), 'utf8')
  return [...text.matchAll(/^import \{([^}]*)\} from '(\.[^']*)'/gm)].map(([, names, module]) => ({
    script,
    module: join(project, dirname(script), module!),
    names: names!
      .split(',')
      .map((name) => name.replace(/ as .*/, '').trim())
      .filter(Boolean),
  }))
}

test('scripts import only what the modules of the build export', async () => {
  const imports = scripts.flatMap(importsOf).filter(({ module }) => module.startsWith(join(project, 'dist/')))
  assert.ok(imports.length > 20, `${imports.length} imports of the build found`)
  const missing = await Promise.all(
    imports.map(async ({ script, module, names }) => {
      const exported = (await import(pathToFileURL(module).href)) as object
      return names.filter((name) => !(name in exported)).map((name) => `${script}: ${name}`)
    }),
  )
  assert.deepEqual(missing.flat(), [])
})
