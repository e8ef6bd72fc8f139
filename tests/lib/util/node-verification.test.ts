/** Which Node is one that alcove was tried out with, and that nothing is tried out in the process of an application. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readNode, verification, verify } from '../../../lib/util/node-verification.js'
import { verifiedNodes } from '../../../lib/util/verified-nodes.js'
import { startProgram } from '../../fixtures/children.js'
import { tryOut } from '../../fixtures/node-try-out.js'

const known = {
  'v1.0.0': { request: 'a', response: 'b', inner: 'c' },
  'v1.1.0': { request: 'a', response: 'd', inner: 'e' },
}
const all = { request: true, response: true, fields: true }

async function report(name: string, ...args: string[]): Promise<any> {
  const child = startProgram(`tests/fixtures/${name}.js`, args)
  assert.equal(await child.exited, 0, child.output.stderr)
  return JSON.parse(child.output.stdout)
}

describe('a Node is verified', () => {
  test('if its texts are those of one that is listed, whatever its number', () => {
    assert.deepEqual(verify({ version: 'v1.0.1', request: 'a', response: 'b', inner: 'c' }, known), all)
  })
  test('if its number is listed, and nobody may read its inner functions', () => {
    assert.deepEqual(verify({ version: 'v1.0.0', request: 'a', response: 'b', inner: undefined }, known), all)
    const other = verify({ version: 'v1.0.1', request: 'a', response: 'b', inner: undefined }, known)
    assert.deepEqual(other, { request: false, response: false, fields: false })
  })
  test('in parts, if a library has replaced functions of requests or of responses', () => {
    assert.deepEqual(verify({ version: 'v1.0.0', request: 'x', response: 'b', inner: 'c' }, known), { ...all, request: false })
    assert.deepEqual(verify({ version: 'v1.0.0', request: 'a', response: 'x', inner: 'c' }, known), { ...all, response: false })
  })
  test('not if the texts are those of several listed ones', () => {
    assert.deepEqual(verify({ version: 'v1.0.0', request: 'a', response: 'd', inner: 'c' }, known), { ...all, response: false })
  })
})

test('a runtime that imitates Node is not verified, whatever version of Node it names', (t) => {
  Object.assign(globalThis, { Bun: {} })
  t.after(() => delete (globalThis as { Bun?: object }).Bun)
  const { version } = readNode()
  assert.equal(Object.hasOwn(verifiedNodes, version), false)
  assert.deepEqual(verify({ version, request: 'a', response: 'b', inner: undefined }, verifiedNodes), {
    request: false,
    response: false,
    fields: false,
  })
})

const isListed = verification.fields && verification.request && verification.response
const reason = !isListed && `${process.version} is not listed: run npm run verify-nodes`

test('the Node that runs the tests is verified, and the try-out agrees', { skip: reason }, async () => {
  assert.deepEqual(await tryOut(), all)
  const { version, request, response, inner } = readNode()
  if (Object.hasOwn(verifiedNodes, version)) assert.deepEqual({ request, response, inner }, verifiedNodes[version])
})

test('nothing is served and no head is written while alcove is loaded and an application boots', async () => {
  assert.deepEqual(await report('quiet-load'), { loaded: [], booted: [], served: ['request', 'head'] })
})

describe('in a Node that is not verified', () => {
  test('servers use the classes of Node, and the first one that listens says so, once', async () => {
    const { lines, classes } = await report('unverified-app')
    assert.deepEqual(classes, ['IncomingMessage', 'CheckedServerResponse'])
    assert.equal(lines.length, 1)
    assert.match(lines[0], /^alcove was not tried out with this Node \(v.*\)/)
  })
})
