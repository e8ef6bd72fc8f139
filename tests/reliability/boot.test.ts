/** Faulty servers do not start: the process ends with an error that names the culprit, and never listens. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startProgram } from '../fixtures/children.js'

/** The fault → what the message must contain */
const faults: Record<string, RegExp> = {
  'a plugin that never ends': /culprit/,
  'an asynchronous plugin that never ends': /culprit/,
  'a plugin that rejects with null': /culprit/,
  'a plugin that rejects with undefined': /culprit/,
  'a plugin that rejects with 0': /'culprit' failed with 0/,
  'a plugin that throws an empty string': /'culprit' failed with ''/,
  'a plugin that calls done with false': /'culprit' failed with false/,
  'a plugin that rejects with a symbol': /'culprit' failed with Symbol\(broken\)/,
  'a plugin that rejects with a revoked proxy': /'culprit' failed with/,
  'a promise of a plugin that rejects with nothing': /a promise failed with undefined/,
  'a promise of a plugin that never settles': /a promise did not load in time/,
  'an onRegister hook that throws nothing': /'culprit' failed with undefined/,
  'an after callback that rejects with nothing': /after callback 'culprit' failed with undefined/,
  'a plugin that throws a string': /culprit is broken/,
  'a plugin that throws an error': /culprit is broken/,
  'a plugin that calls done with an error': /culprit is broken/,
  'a route given twice': /\/culprit/,
  'a schema given twice': /culprit/,
  'a decorator given twice': /culprit/,
  'a reference that leads nowhere': /nowhere/,
  'a response schema whose reference leads nowhere': /nowhere/,
  'a dependency that is missing': /missing/,
  'an onReady hook that never ends': /onReady hook 'culprit' of 'root'/,
  'an onReady hook that rejects with nothing': /onReady hook 'culprit' of 'root' failed with undefined/,
  'a port that is used': /EADDRINUSE/,
  'a close that comes while it boots': /closed/,
  'an empty host': /host is empty/,
}

describe('a server does not start', { concurrency: 2 }, () => {
  for (const [name, culprit] of Object.entries(faults)) {
    test(`with ${name}`, { timeout: 20_000 }, async () => {
      const child = startProgram('tests/fixtures/boot-faults-app.js', [name])
      assert.notEqual(await child.exited, 0)
      assert.match(child.output.stderr, culprit)
      assert.ok(!child.output.stdout.includes('LISTENING'))
    })
  }
})
