/** The code of docs/start/add-to-a-project.md: compiled by the `tsconfig.json` that the page shows, with both forms of decorators, and started. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { project, readText } from '../fixtures/project.js'

const programs = ['samples/existing/constructor-types/src/main.ts', 'samples/existing/static-inject/src/main.ts']
const compiler = join(project, 'node_modules/typescript/bin/tsc')

describe('alcove in a project that exists', { concurrency: 2 }, () => {
  for (const program of programs) {
    const folder = program.slice(0, -'/src/main.ts'.length)

    test(`${folder} compiles with its tsconfig.json, and serves its route and the page of the documentation`, async (t) => {
      // In `dist`, the name `alcove` leads to the compiled modules.
      const out = join(project, 'dist', folder)
      t.after(() => rmSync(out, { recursive: true, force: true }))
      await promisify(execFile)(process.execPath, [compiler, '-p', join(project, folder), '--outDir', out])
      const child = spawn(process.execPath, [join(out, 'main.js')], { env: { ...process.env, PORT: '0' } })
      t.after(() => child.kill())
      const origin = await addressOf(child.stdout)
      const replies = await Promise.all(['/orders/1', '/orders/x', '/orders/2', '/docs'].map((path) => fetch(`${origin}${path}`)))
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 400, 404, 200],
      )
      assert.deepEqual(await replies[0]!.json(), { id: 1, total: 120 })
      child.kill('SIGTERM')
      assert.deepEqual(await once(child, 'exit'), [0, null])
    })
  }

  test('the second tsconfig.json lacks the two options of legacy decorators, and is otherwise the same', () => {
    const [legacy, standard] = ['constructor-types', 'static-inject'].map((form) => readText(`samples/existing/${form}/tsconfig.json`))
    assert.equal(legacy!.replaceAll(/^ *"(?:experimentalDecorators|emitDecoratorMetadata)": true,\n/gm, ''), standard)
    assert.notEqual(legacy, standard)
  })
})

/** The address in the line of the log that says where the server listens. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  let printed = ''
  for await (const chunk of output.setEncoding('utf8')) {
    printed += String(chunk)
    const [, origin] = /Server listening at (http:\/\/[^"]+)"/.exec(printed) ?? []
    if (origin !== undefined) return origin
  }
  throw new Error(`It ended without listening: ${printed}`)
}
