/** The package packages/fastify: applications and their dependencies that import `fastify` get alcove. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { project } from '../fixtures/project.js'

const run = promisify(execFile)
const files: Record<string, string> = {
  'imports.mjs': `
import Fastify, { errorCodes, fastify } from 'fastify'
const server = Fastify()
server.get('/', () => ({ version: server.version, isOne: Fastify === fastify }))
console.log((await server.inject('/')).body, typeof errorCodes.FST_ERR_NOT_FOUND)
await server.close()
`,
  'requires.cjs': `
const fastify = require('fastify')
const server = fastify({ logger: false })
server.register(require('fastify-plugin')(async (instance) => instance.decorate('added', 'by a plugin'), { fastify: '5.x' }))
server.get('/', () => ({ added: server.added, names: [typeof fastify.fastify, typeof fastify.default, typeof fastify.errorCodes] }))
server.inject('/').then((answer) => { console.log(answer.body); return server.close() })
`,
}

describe('packages/fastify', () => {
  const home = mkdtempSync(join(tmpdir(), 'alcove-alias-'))

  before(() => {
    mkdirSync(join(home, 'node_modules'))
    for (const name of readdirSync(join(project, 'node_modules'))) {
      if (!name.startsWith('.') && name !== 'fastify' && name !== 'alcove')
        symlinkSync(join(project, 'node_modules', name), join(home, 'node_modules', name))
    }
    symlinkSync(project, join(home, 'node_modules/alcove'))
    cpSync(join(project, 'packages/fastify'), join(home, 'node_modules/fastify'), { recursive: true })
    for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text)
  })
  after(() => rmSync(home, { recursive: true, force: true }))

  const node = async (file: string): Promise<string> => (await run(process.execPath, [file], { cwd: home })).stdout

  test('an application that imports fastify gets alcove, by each of its names', async () => {
    assert.equal(await node('imports.mjs'), '{"version":"5.12.8","isOne":true} function\n')
  })

  test('an application that requires fastify calls what it gets, and registers a plugin for Fastify 5', async () => {
    assert.equal(await node('requires.cjs'), '{"added":"by a plugin","names":["function","function","object"]}\n')
  })
})
