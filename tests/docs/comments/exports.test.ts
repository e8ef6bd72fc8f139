/** Each name that the package exports has a doc comment, and each value stands on a page. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findPages } from '../pages.js'
import { project, readText } from '../../fixtures/project.js'

interface Exported {
  name: string
  /** The file that declares it. */
  file: string
  isType: boolean
}

/** The names that an entry of the package exports, with the files that declare them. */
function exportsOf(entry: string): Exported[] {
  const lists = readText(entry).matchAll(/^export (type )?(?:\{([^}]*)\}|\*) from '([^']+)'/gm)
  return [...lists].flatMap(([, onlyTypes, list, from]) => {
    const file = join(dirname(entry), from!.replace('.js', '.ts'))
    if (list === undefined) return file.endsWith('/index.ts') ? exportsOf(file) : declaredIn(file)
    const names = list.split(',').map((name) => name.trim())
    return names
      .filter((name) => name !== '')
      .flatMap((given) => {
        const name = given.replace(/^type /, '')
        if (file.endsWith('/index.ts')) return exportsOf(file).filter((other) => other.name === name)
        return [{ name, file, isType: onlyTypes !== undefined || given.startsWith('type ') }]
      })
  })
}

function declaredIn(file: string): Exported[] {
  return [...readText(file).matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => ({ name: name!, file, isType: true }))
}

const entries = ['lib', 'decorators', 'decorators/contract', 'lib/fastify'].map((folder) => `${folder}/index.ts`)
const exported = entries.flatMap(exportsOf)

test('the entries of the package are read', () => {
  assert.ok(exported.length > 250, `${exported.length} names`)
  for (const { file } of exported) assert.ok(existsSync(join(project, file)), file)
})

test('every exported name has a doc comment', () => {
  const faults = exported.filter(({ name, file }) => {
    // The first of several signatures.
    const declaration = new RegExp(
      `(.*)\\nexport (?:declare )?(?:abstract )?(?:async )?(?:class|function\\*?|const|interface|type) ${name}\\b`,
    )
    return declaration.exec(readText(file))?.[1]!.endsWith('*/') !== true
  })
  assert.deepEqual(
    faults.map(({ name, file }) => `${file}: ${name}`),
    [],
  )
})

test('every exported value is named on a page', () => {
  const pages = findPages().filter((path) => path === 'README.md' || path.startsWith('docs/'))
  const text = pages.map(readText).join('\n')
  const missing = exported.filter(({ name, isType }) => !isType && !new RegExp(`\\b${name}\\b`).test(text))
  assert.deepEqual(
    missing.map(({ name, file }) => `${file}: ${name}`),
    [],
  )
})
