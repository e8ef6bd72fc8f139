#!/usr/bin/env node
/**
 * Puts small faults into the sources, one at a time, and reports the faults that no test notices.
 *   npm run mutation -- [module …]        one of modules.mjs, or all; `lib/x.ts:10-20` is accepted as `x:10-20`
 *
 * MUTATION_WORKERS is how many mutants are tried at a time (2). The report with every mutant is dist/mutation/<module>.json.
 */
import { existsSync } from 'node:fs'
import { Stryker } from '@stryker-mutator/core'
import { modules } from './modules.mjs'

const asked = process.argv.slice(2)
const scores = []

for (const argument of asked.length > 0 ? asked : Object.keys(modules)) {
  const [name, lines] = argument.split(':')
  const chosen = modules[name]
  if (chosen === undefined) throw new Error(`There is no module '${name}': ${Object.keys(modules).join(', ')}`)
  const missing = chosen.tests.filter((test) => !existsSync(`tests/${test}.test.ts`))
  if (missing.length > 0) throw new Error(`modules.mjs: no such tests: ${missing.join(', ')}`)

  const start = performance.now()
  const results = await new Stryker({
    mutate: [lines === undefined ? chosen.source : `${chosen.source}:${lines}`],
    testRunner: 'tap',
    tap: {
      testFiles: chosen.tests.map((test) => `dist/tests/${test}.test.js`),
      nodeArgs: ['--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
      forceBail: true,
    },
    coverageAnalysis: 'perTest',
    // One copy of the project contains all mutants. It is built once, and the mutants are switched on one by one.
    buildCommand: 'npm --prefix tests/mutation run build',
    tempDirName: 'dist/mutation/sandboxes',
    ignorePatterns: ['/dist', '/docs/**/*.png'],
    // Turns off the parts of Stryker that use the API of TypeScript, which TypeScript 7 does not have.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
    timeoutMS: 10_000,
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false, allowEmojis: false },
    jsonReporter: { fileName: `dist/mutation/${name}.json` },
    allowConsoleColors: false,
    // Hides a warning that the compiled tests were not copied. The copy compiles its own.
    logLevel: 'error',
  }).runMutationTest()

  const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length
  const found = count('Killed', 'Timeout')
  const left = count('Survived', 'NoCoverage')
  scores.push({
    module: argument,
    mutants: found + left,
    found,
    survived: count('Survived'),
    'not reached': count('NoCoverage'),
    score: `${((100 * found) / (found + left)).toFixed(1)} %`,
    minutes: ((performance.now() - start) / 60_000).toFixed(1),
  })
}
console.table(scores)
