/** The hashes of passwords in the applications of `alcove new --api` and of the tutorial, whose files are the same. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { project } from '../fixtures/project.js'

const program = `
import { Passwords } from './templates/api/src/auth/passwords.ts'
for (const power of [8, 16]) {
  class Costly extends Passwords {
    static cost = 2 ** power
  }
  const passwords = new Costly()
  const hash = await passwords.hash('right')
  console.log(hash.split('.')[0], await passwords.verify('right', hash), await passwords.verify('wrong', hash), await passwords.verify('', undefined))
}`

test('a password may have any cost, also one above that of the template, and no password fits an unknown user', async () => {
  const args = ['--import', '@oxc-node/core/register', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project })
  assert.deepEqual(stdout.trim().split('\n'), ['256 true false false', '65536 true false false'])
})
