/** The sources: the size of folders, the names of tests, the number of casts. Lengths of files and functions are rules of oxlint. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { project } from '../fixtures/project.js'

/**
 * Modules without a test file of their name → the test files that cover them, all without their endings: `'lib/a': ['rules/b']` says that
 * tests/rules/b.test.ts covers lib/a.ts.
 */
const coveredBy: Readonly<Record<string, readonly string[]>> = {
  'decorators/tools/probe-options': ['decorators/tools/probe'],
  'decorators/tools/probe/drafts': ['decorators/tools/probe'],
  'decorators/tools/probe/exchange': ['decorators/tools/probe'],
  'decorators/tools/probe/garble': ['decorators/tools/probe'],
  'decorators/tools/probe/guards': ['decorators/tools/probe'],
  'decorators/tools/probe/judge': ['decorators/tools/probe'],
  'decorators/tools/probe/make-drafts': ['decorators/tools/probe'],
  'decorators/tools/probe/places': ['decorators/tools/probe'],
  'decorators/tools/probe/report': ['decorators/tools/probe'],
  'decorators/tools/probe/run': ['decorators/tools/probe'],
  'decorators/tools/probe/shrink': ['decorators/tools/probe'],
  'decorators/tools/probe/targets': ['decorators/tools/probe'],
  'decorators/tools/values/pattern-text': ['decorators/tools/values/fitting'],
  'decorators/tools/values/random': ['decorators/tools/values/fitting', 'decorators/tools/probe'],
  'decorators/commands/probe': ['decorators/cli'],
  'lib/build/build-recording': ['lib/build/prebuilt'],
  'lib/context/conventions': ['lib/fastify/index'],
  'lib/context/declared-route': ['decorators/idempotency/bodies', 'decorators/wiring/faults'],
  'lib/context/declared-replies': ['decorators/wiring/checks/replies', 'decorators/contract/describe'],
  'decorators/commands/sunsets': ['decorators/commands/check'],
  'lib/context/deprecation': ['rules/deprecation'],
  'lib/context/description-problems': ['decorators/wiring/checks/replies', 'rules/deprecation'],
  'lib/lifecycle/ending/outcome': ['decorators/run/scopes/request-endings'],
  'lib/context/error-classes': ['lib/schema/error-class'],
  'lib/fastify/adapt': ['lib/fastify/index'],
  'lib/http/unread-chunks': ['security/budget'],
  'lib/util/verified-nodes': ['lib/util/node-verification'],
  'lib/route/body-coverage': ['rules/validation-behavior', 'rules/route-schema', 'lib/fastify/index'],
  'lib/route/compile': ['lib/lifecycle/run-request', 'rules/encapsulation', 'rules/route-schema'],
  'lib/route/compiled-route': ['lib/lifecycle/run-request'],
  'lib/route/declared-deprecation': ['rules/deprecation'],
  'lib/route/thrown-errors': ['lib/schema/error-class'],
  'lib/lifecycle/announce-deprecation': ['rules/deprecation'],
  'lib/schema/route-schema-keys': ['lib/route/compile-schemas'],
  'lib/schema/form-files': ['lib/schema/ajv/bytes'],
  'lib/schema/issues/limits': ['security/amplification'],
  'lib/schema/issues/validation-issues': ['lib/problem-details'],
  'lib/schema/environment/reader': ['lib/schema/environment/environment'],
  'lib/schema/reply-facts': ['lib/route/hold-replies'],
  'lib/schema/ajv/document-validator': ['decorators/tools/reply-check'],
  'lib/schema/ajv/plugins': ['lib/build/plugin-packages'],
  'lib/schema/lazy/engine-options': ['lib/build/plugin-packages'],
  'lib/schema/lazy/engine-pool': ['lib/schema/lazy/cache', 'lib/build/prebuilt'],
  'lib/schema/part-failure': ['rules/standard-schema', 'rules/references', 'lib/route/faults'],
  'lib/schema/json-schema/reference-targets': ['lib/schema/json-schema/canonical-references', 'decorators/contract/openapi/components'],
  'lib/schema/standard/compile': ['rules/standard-schema'],
  'lib/schema/standard/read': ['rules/standard-schema'],
  'lib/schema/standard/reading': ['lib/schema/standard/zod', 'lib/schema/standard/arktype'],
  'lib/schema/standard/library-validate': ['rules/standard-schema'],
  'lib/schema/standard/standard-schema': ['rules/standard-schema'],
  'lib/server/describe/thrown-responses': ['lib/schema/error-class'],
  'lib/server/describe/application': ['decorators/contract/describe'],
  'lib/server/describe/docs': ['decorators/contract/describe'],
  'lib/server/describe/input': ['lib/server/describe/contexts', 'lib/server/describe/route'],
  'lib/server/describe/function-name': ['lib/server/describe/contexts'],
  'lib/server/describe/responses': ['lib/server/describe/route', 'decorators/contract/describe'],
  'lib/server/describe/route-facts': ['lib/server/describe/route', 'decorators/contract/describe'],
  'lib/server/describe/security': ['decorators/contract/describe'],
  'lib/server/blueprint': ['decorators/contract/describe', 'decorators/run/blueprint'],
  'lib/server/network/close-limit': ['security/shutdown', 'lib/server/close-on-signals'],
  'lib/server/network/listen-options': ['lib/server/network/listener'],
  'lib/server/network/slow-readers': ['security/slow-readers'],
  'lib/server/server-state': ['security/shutdown', 'lib/server/network/listener'],
  'lib/lifecycle/observe': ['decorators/telemetry/open-telemetry'],
  'lib/route/observed-functions': ['decorators/telemetry/open-telemetry'],
  'decorators/conditional/errors': ['decorators/conditional/version'],
  'decorators/idempotency/errors': ['decorators/idempotency/idempotency'],
  'decorators/idempotency/fingerprint': ['decorators/idempotency/idempotency'],
  'decorators/idempotency/kept-text': ['decorators/idempotency/stores'],
  'decorators/idempotency/memory-store': ['decorators/idempotency/stores'],
  'decorators/idempotency/plugin': ['decorators/idempotency/idempotency'],
  'decorators/idempotency/postgres-store': ['decorators/idempotency/stores'],
  'decorators/idempotency/redis-store': ['decorators/idempotency/stores'],
  'decorators/idempotency/settings': ['decorators/idempotency/idempotency'],
  'decorators/contract/openapi/component-references': [
    'decorators/contract/openapi/openapi',
    'decorators/contract/client-file/client-file',
  ],
  'lib/errors/errors-of-classes': ['lib/errors/codes'],
  'lib/errors/explanation': ['decorators/wiring/faults', 'lib/route/faults'],
  'lib/util/objects': ['lib/schema/lazy/check', 'lib/schema/schema-store', 'rules/standard-schema'],
  'lib/util/node/modules': ['system/bundles'],
  'lib/util/node/own-files': ['system/bundles', 'decorators/cli'],
  'lib/util/own-url': ['system/package', 'decorators/cli'],
  'lib/util/symbols': ['lib/lifecycle/reply', 'lib/lifecycle/request'],
  'decorators/client/queries': ['decorators/contract/client-file/client-file'],
  'decorators/client/route-entry': ['decorators/contract/client-file/client-file', 'decorators/client/runtime'],
  'decorators/run/bootstrap-options': ['decorators/run/bootstrap', 'decorators/contract/describe'],
  'decorators/commands/application': ['decorators/cli'],
  'decorators/commands/client': ['decorators/cli'],
  'decorators/commands/diff/report': ['decorators/commands/diff'],
  'decorators/commands/diff/locks': ['decorators/commands/diff'],
  'decorators/commands/files/read-lock': ['decorators/commands/diff', 'decorators/cli'],
  'decorators/commands/diff/states': ['decorators/commands/diff'],
  'decorators/commands/diff/texts': ['decorators/commands/diff'],
  'decorators/commands/contract-first/application': ['decorators/commands/new-from'],
  'decorators/commands/contract-first/draft7': ['decorators/commands/new-from'],
  'decorators/commands/contract-first/files': ['decorators/commands/new-from'],
  'decorators/commands/contract-first/guards': ['decorators/commands/new-from'],
  'decorators/commands/contract-first/plan': ['decorators/commands/new-from'],
  'decorators/commands/contract-first/plan-file': ['decorators/commands/new-from', 'decorators/commands/mock'],
  'decorators/commands/mock/preferences': ['decorators/commands/mock'],
  'decorators/commands/mock/replies': ['decorators/commands/mock'],
  'decorators/commands/mock/values': ['decorators/commands/mock'],
  'decorators/commands/contract-first/plan-errors': ['decorators/commands/new-from'],
  'decorators/commands/contract-first/plan-action': ['decorators/commands/new-from'],
  'decorators/commands/contract-first/plan-schemas': ['decorators/commands/new-from'],
  'decorators/commands/files/read-document': ['decorators/commands/new-from', 'decorators/cli'],
  'decorators/contract/compare/compare-types': ['decorators/contract/compare/operations'],
  'decorators/contract/compare/replies': ['decorators/contract/compare/operations'],
  'decorators/contract/compare/requests': ['decorators/contract/compare/operations'],
  'decorators/contract/compare/schemas-of-part': ['decorators/contract/compare/operations'],
  'decorators/contract/compare/security': ['decorators/contract/compare/operations'],
  'decorators/contract/document/generator': ['decorators/commands/mock', 'decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/arrays': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/candidates': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/closing': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/counterexamples': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/doubts': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/keywords': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/objects': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/proof': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/scalars': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/schemas': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/shapes': ['decorators/contract/subsumption/compare'],
  'decorators/contract/subsumption/validators': ['decorators/contract/subsumption/compare'],
  'decorators/contract/document/json-differences': ['decorators/cli'],
  'decorators/contract/document/read': ['decorators/contract/document/differences', 'decorators/commands/new-from'],
  'decorators/contract/document/read-messages': ['decorators/contract/document/differences'],
  'decorators/contract/document/schemas': ['decorators/contract/document/differences', 'decorators/commands/new-from'],
  'decorators/contract/document/source': ['decorators/commands/new-from'],
  'decorators/commands/json/locate': ['decorators/commands/check'],
  'decorators/commands/json/process': ['decorators/commands/check'],
  'decorators/commands/json/report': ['decorators/commands/check'],
  'decorators/commands/environment': ['decorators/cli'],
  'decorators/commands/lock': ['decorators/cli'],
  'decorators/commands/files/printed-failure': ['decorators/commands/modules'],
  'decorators/commands/files/explanation-file': ['decorators/cli'],
  'decorators/commands/files/write-output': ['decorators/cli'],
  'decorators/commands/new-app': ['decorators/cli'],
  'decorators/commands/openapi': ['decorators/cli'],
  'decorators/contract/client-file/dates': ['decorators/contract/client-file/client-file'],
  'decorators/contract/client-file/error-guard': ['decorators/contract/client-file/client-file'],
  'decorators/contract/client-file/entries': ['decorators/contract/client-file/client-file'],
  'decorators/contract/client-file/route-types': ['decorators/contract/client-file/client-file'],
  'decorators/contract/client-file/type-texts': ['decorators/contract/client-file/schema-types'],
  'decorators/contract/openapi/document-context': ['decorators/contract/openapi/document'],
  'decorators/contract/openapi/messages': ['decorators/contract/openapi/document'],
  'decorators/contract/openapi/operation-names': ['decorators/contract/openapi/document'],
  'decorators/contract/openapi/operations': ['decorators/contract/openapi/document'],
  'decorators/contract/openapi/options': ['decorators/contract/openapi/openapi'],
  'decorators/contract/openapi/parameters': ['decorators/contract/openapi/document'],
  'decorators/contract/openapi/paths': ['decorators/contract/openapi/document'],
  'decorators/peer': ['decorators/contract/docs-page'],
  'decorators/jobs/provider-token': ['decorators/jobs/job', 'decorators/jobs/event'],
  'decorators/run/jobs/event-dispatch': ['decorators/jobs/event'],
  'decorators/jobs/cron': ['decorators/jobs/job'],
  'decorators/jobs/driver': ['decorators/jobs/job', 'decorators/jobs/memory-driver'],
  'decorators/jobs/drivers/bullmq': ['decorators/jobs/drivers'],
  'decorators/jobs/drivers/outbox': ['decorators/jobs/drivers'],
  'decorators/jobs/drivers/pg-boss': ['decorators/jobs/drivers'],
  'decorators/jobs/queue': ['decorators/jobs/job', 'decorators/jobs/memory-driver'],
  'decorators/run/jobs/job-runner': ['decorators/jobs/job', 'decorators/jobs/memory-driver'],
  'decorators/run/scopes/figures': ['decorators/telemetry/gauges'],
  'decorators/run/jobs/schedule': ['decorators/jobs/memory-driver'],
  'decorators/wiring/fault-texts/jobs': ['decorators/jobs/job'],
  'decorators/wiring/jobs/job-queues': ['decorators/jobs/job'],
  'decorators/wiring/jobs/check-jobs': ['decorators/jobs/job', 'decorators/jobs/event'],
  'decorators/wiring/jobs/job-kinds': ['decorators/jobs/job', 'decorators/jobs/event'],
  'decorators/wiring/jobs/read-job': ['decorators/jobs/job'],
  'decorators/declare/access/rule': ['decorators/wiring/access/judge', 'decorators/tools/access'],
  'decorators/declare/copies': ['decorators/cli'],
  'decorators/declare/class-replies': ['decorators/contract/describe', 'decorators/wiring/checks/replies'],
  'decorators/declare/imports': ['decorators/declare/plugin', 'decorators/wiring/imports'],
  'decorators/declare/model/read-object-schema': ['decorators/declare/model/compose'],
  'decorators/declare/handler-class': ['decorators/run/handler-classes', 'decorators/wiring/constructed-classes'],
  'decorators/lock/change': ['decorators/lock/compare-locks'],
  'decorators/lock/compare-plugins': ['decorators/lock/compare-locks'],
  'decorators/lock/compare-routes': ['decorators/lock/compare-locks'],
  'decorators/lock/lines': ['decorators/lock/parse-lock'],
  'decorators/lock/routes': ['decorators/lock/compare-locks', 'decorators/lock/parse-lock'],
  'decorators/lock/text': ['decorators/lock/parse-lock'],
  'decorators/lock/write-lock': ['decorators/lock/parse-lock', 'decorators/lock/make-lock'],
  'decorators/run/checks/judged-routes': ['decorators/wiring/access/judge'],
  'decorators/run/checks/foreign-references': ['decorators/wiring/referenced-models'],
  'decorators/run/bind-methods': ['decorators/run/scopes/request-scopes', 'security/providers'],
  'decorators/tools/test-options': ['mistakes/mistakes'],
  'decorators/run/scopes/unit-scope': [
    'decorators/run/scopes/request-scopes',
    'decorators/run/scopes/request-endings',
    'decorators/run/scopes/background-work',
  ],
  'lib/route/check-input': ['decorators/jobs/job'],
  'lib/context/request-entry': ['decorators/run/scopes/ambients'],
  'lib/http/web/request': ['lib/server/fetch/fetch', 'runtimes/runtimes'],
  'lib/http/web/response': ['lib/server/fetch/fetch', 'runtimes/runtimes'],
  'lib/http/web/socket': ['lib/server/fetch/fetch'],
  'lib/server/fetch/open-fetches': ['lib/server/fetch/fetch'],
  'lib/server/fetch/runtime-port': ['decorators/runtimes/serve'],
  'decorators/runtimes/lambda/event-types': ['decorators/runtimes/lambda'],
  'decorators/runtimes/lambda/index': ['decorators/runtimes/lambda'],
  'decorators/runtimes/lambda/request': ['decorators/runtimes/lambda'],
  'decorators/runtimes/lambda/result': ['decorators/runtimes/lambda'],
  'decorators/runtimes/lambda/streams': ['decorators/runtimes/lambda'],
  'decorators/runtimes/bun': ['decorators/runtimes/serve'],
  'decorators/runtimes/deno': ['decorators/runtimes/serve'],
  'lib/server/background-work': ['decorators/run/scopes/background-work'],
  'decorators/tools/explain-texts': ['decorators/tools/explain'],
  'decorators/wiring/access/rule-text': ['decorators/wiring/access/judge'],
  'decorators/wiring/arounds': ['decorators/run/around'],
  'decorators/wiring/fault-texts/access': ['decorators/wiring/faults', 'decorators/wiring/access/judge'],
  'decorators/wiring/fault-texts/declarations': ['decorators/wiring/faults'],
  'decorators/wiring/fault-texts/dependencies': ['decorators/wiring/faults'],
  'decorators/wiring/fault-texts/text': ['decorators/wiring/faults'],
  'decorators/wiring/build-routes': ['decorators/wiring/faults', 'decorators/declare/route'],
  'decorators/wiring/environments': ['lib/schema/environment/environment'],
  'decorators/wiring/module-tree': ['decorators/wiring/faults', 'decorators/tools/testing'],
  'decorators/wiring/option-kinds': ['mistakes/mistakes'],
  'decorators/wiring/value-names': ['decorators/wiring/checks/entries'],
  'decorators/wiring/nodes': ['decorators/wiring/faults', 'decorators/wiring/imports'],
  'decorators/wiring/provider-record': ['decorators/wiring/resolve', 'decorators/declare/injectable'],
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

// An import reads all exports of such a module, and with them loads others: the layer check does not tell types from values here.
test('modules of Node that load much are required by one file, except in commands', () => {
  const found = sources.filter((file) => {
    if (file === 'lib/util/node/modules.ts' || /^decorators\/(?:commands\/|cli\.ts$)/.test(file)) return false
    const text = readFileSync(join(project, file), 'utf8')
    return /^import (?!type\b)(?:[^'\n]|\n(?!import))*?from 'node:(?:crypto|fs|https?|http2|tls|util)'/m.test(text)
  })
  assert.deepEqual(found, [])
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
