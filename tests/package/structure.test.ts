/** The sources: the size of folders, the names of tests, the number of casts. Lengths of files and functions are rules of oxlint. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

// The project, both from tests/package and from dist/tests/package.
const project = fileURLToPath(new URL('.', import.meta.url)).replace(/(?:dist\/)?tests\/package\/$/, '')

/**
 * Modules without a test file of their name → the test files that cover them, all without their endings: `'lib/a': ['rules/b']` says that
 * tests/rules/b.test.ts covers lib/a.ts.
 */
const coveredBy: Readonly<Record<string, readonly string[]>> = {
  'lib/build/build-recording': ['decorators/build'],
  'lib/build/prebuilt': ['decorators/build'],
  'lib/context/body-parsers': ['lib/body', 'lib/http2'],
  'lib/context/context': ['lib/schema-controller', 'rules/encapsulation'],
  'lib/context/decorators': ['lib/decorations'],
  'lib/context/hooks': ['security/hooks', 'lib/server'],
  'lib/context/logger': ['security/logging', 'lib/logger'],
  'lib/http/connection': ['lib/write', 'security/shutdown', 'security/replies'],
  'lib/http/deadline': ['security/hooks'],
  'lib/http/drain-connections': ['security/shutdown'],
  'lib/http/host': ['security/connections'],
  'lib/http/incoming-message': ['lib/incoming', 'security/shutdown'],
  'lib/http/media-type': ['lib/media-type'],
  'lib/http/payload': ['lib/write', 'security/replies', 'security/errors'],
  'lib/http/pipelining': ['security/pipelining', 'security/budget'],
  'lib/http/raw-headers': ['security/connections'],
  'lib/http/server-response': ['lib/outgoing'],
  'lib/http/unread-chunks': ['security/budget'],
  'lib/lifecycle/reply': ['lib/reply', 'rules/serialization'],
  'lib/lifecycle/request': ['lib/request', 'security/connections', 'lib/deadline'],
  'lib/lifecycle/run-request': ['security/hooks', 'security/bodies', 'lib/reply'],
  'lib/lifecycle/send-error': ['security/errors'],
  'lib/lifecycle/send': ['lib/respond', 'security/errors'],
  'lib/lifecycle/tracing': ['lib/tracing'],
  'lib/lifecycle/transmit': ['security/replies', 'lib/write'],
  'lib/route/compile': ['lib/compiling', 'lib/server'],
  'lib/route/router': ['lib/server', 'lib/router'],
  'lib/schema/ajv/engine': ['decorators/build', 'lib/validation'],
  'lib/schema/ajv/equality': ['lib/validation'],
  'lib/schema/ajv/keywords': ['lib/validation'],
  'lib/schema/ajv/multi-pass': ['security/values'],
  'lib/schema/header-names': ['lib/header-schema'],
  'lib/schema/lazy/cache': ['decorators/build', 'lib/validation'],
  'lib/schema/lazy/check': ['lib/schema-check'],
  'lib/schema/lazy/engine-pool': ['decorators/build'],
  'lib/schema/normalize': ['rules/route-schema', 'rules/serialization', 'lib/schema-controller'],
  'lib/schema/schema-keys': ['lib/schema-check'],
  'lib/schema/serialize-response': ['decorators/build', 'rules/serialization'],
  'lib/schema/validate-request': ['lib/validation', 'rules/engines'],
  'lib/server/close-on-signals': ['lib/shutdown'],
  'lib/server/create-server': ['lib/server', 'rules/encapsulation'],
  'lib/server/describe': ['lib/inspect'],
  'lib/server/inject': ['lib/tracing'],
  'lib/server/listen': ['lib/listener', 'security/connections', 'security/bodies'],
  'lib/server/network/slow-readers': ['security/slow-readers'],
  'lib/server/options': ['lib/options', 'lib/server'],
  'lib/server/plugin-loader': ['reliability/boot', 'lib/boot', 'lib/plugin'],
  'lib/server/plugin-metadata': ['lib/plugin'],
  'lib/server/receive': ['security/connections', 'security/errors', 'security/shutdown'],
  'lib/server/route-table': ['lib/server', 'lib/boot', 'lib/router'],
  'lib/util/bounded-map': ['lib/bounded-map'],
  'lib/util/promises': ['security/errors'],
  'lib/util/proto-key': ['lib/router'],
  'lib/util/symbols': ['lib/request'],
  'decorators/declare/hook': ['decorators/hook'],
  'decorators/declare/injectable': ['decorators/providers'],
  'decorators/declare/metadata': ['decorators/metadata', 'decorators/providers'],
  'decorators/declare/plugin': ['decorators/bootstrap'],
  'decorators/declare/route': ['decorators/route'],
  'decorators/declare/schema': ['decorators/schema'],
  'decorators/declare/tokens': ['decorators/testing', 'decorators/providers'],
  'decorators/run/bind-methods': ['security/providers', 'decorators/scope'],
  'decorators/run/bootstrap': ['decorators/bootstrap'],
  'decorators/run/scope': ['decorators/scope', 'decorators/bootstrap'],
  'decorators/tools/explain-page': ['decorators/cli'],
  'decorators/tools/explain': ['decorators/explain'],
  'decorators/tools/testing': ['decorators/testing'],
  'decorators/wiring/faults': ['decorators/errors'],
  'decorators/wiring/module-tree': ['decorators/errors', 'decorators/testing'],
  'decorators/wiring/resolve': ['decorators/errors', 'decorators/bootstrap'],
}

const sources = ['lib', 'decorators'].flatMap((folder) =>
  readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`)
    .sort(),
)

test('a folder of sources holds at most 14 files', () => {
  const counts = new Map<string, number>()
  for (const file of sources) {
    const folder = file.slice(0, file.lastIndexOf('/'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 14).map(([folder, count]) => `${folder} holds ${count} files`),
    [],
  )
})

describe('the tests of a module', () => {
  const testFile = (name: string): string => `tests/${name}.test.ts`
  const hasTestFile = (module: string): boolean => existsSync(join(project, testFile(module)))
  const modules = sources.map((file) => file.slice(0, -'.ts'.length)).filter(hasBehavior)

  test('stand under its name in tests, or in the table of this test', () => {
    assert.deepEqual(
      modules.filter((module) => !hasTestFile(module) && !Object.hasOwn(coveredBy, module)),
      [],
    )
  })

  test('are in the table only if the module has no test file of its name', () => {
    assert.deepEqual(
      Object.keys(coveredBy).filter((module) => hasTestFile(module) || !modules.includes(module)),
      [],
    )
  })

  test('are test files that exist', () => {
    assert.deepEqual(
      Object.entries(coveredBy).flatMap(([module, names]) => {
        const missing = names.map(testFile).filter((file) => !existsSync(join(project, file)))
        return names.length === 0 || missing.length > 0 ? [`${module}: ${missing.join(', ') || 'no test file'}`] : []
      }),
      [],
    )
  })

  /** Whether anything is left of the built module besides imports and exports of other modules. Types leave nothing. */
  function hasBehavior(module: string): boolean {
    return (
      readFileSync(join(project, `dist/${module}.js`), 'utf8')
        .replaceAll(/\/\*[\s\S]*?\*\//g, '')
        .replaceAll(/^(?:\/\/.*|export \{\};|(?:import|export) (?:[^'=;]* from )?'[^']*';)$/gm, '')
        .trim() !== ''
    )
  }
})

describe('casts that leave the type system (`as any`, `as unknown as`)', () => {
  const casts = sources.flatMap((file) => {
    const lines = readFileSync(join(project, file), 'utf8').split('\n')
    const isComment = (line: string): boolean => /^ *(?:\/\/|\/?\*)/.test(line)
    const code = lines.map((line) => (isComment(line) ? '' : line.replace(/ \/\/.*/, ''))).join('\n')
    return [...code.matchAll(/\bas\s+(?:any\b|unknown\s+as\b)/g)].map(({ index }) => {
      const number = code.slice(0, index).split('\n').length
      const hasReason = / \/\/ /.test(lines[number - 1]!) || isComment(lines[number - 2] ?? '')
      return { place: `${file}:${number}`, hasReason }
    })
  })

  test('are at most 25', () => {
    assert.ok(casts.length <= 25, `${casts.length} casts: ${casts.map(({ place }) => place).join(', ')}`)
  })

  test('each have a comment on their line or the line before it, which says why', () => {
    assert.deepEqual(
      casts.filter(({ hasReason }) => !hasReason).map(({ place }) => place),
      [],
    )
  })
})
