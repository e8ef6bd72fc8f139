/** The recipe for TypeScript, and what becomes of plugins' types without those of fastify. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const compile = (...args) => {
  const { status, stdout } = spawnSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '--pretty', 'false', ...args], {
    encoding: 'utf8',
  })
  return { status, stdout }
}

describe('plugins and TypeScript', () => {
  it('compiles the recipe, and refuses the mistakes in it', () => {
    assert.deepEqual(compile('-p', at('types')), { status: 0, stdout: '' })
  })

  it('compiles one use of each of 82 plugins and features of Fastify, with the types that they have for Fastify', () => {
    const { status, stdout } = spawnSync(process.execPath, [at('types/check.mjs')], { encoding: 'utf8' })
    assert.equal(status, 0, stdout)
    assert.match(stdout, /^\| 82 \| 82 \|$/m)
  })

  describe('in a project without fastify', () => {
    /** Compiles a file in a folder of its own, from which only the given packages are found. */
    function compileWithoutFastify(source) {
      const folder = mkdtempSync(join(tmpdir(), 'alcove-types-'))
      try {
        mkdirSync(join(folder, 'node_modules/@fastify'), { recursive: true })
        for (const name of ['@fastify/jwt', '@fastify/bearer-auth', 'fast-jwt'])
          symlinkSync(at(`node_modules/${name}`), join(folder, 'node_modules', name))
        const compilerOptions = {
          strict: true,
          noEmit: true,
          skipLibCheck: true,
          module: 'NodeNext',
          target: 'ES2023',
          // Otherwise a linked package would find what stands beside its original.
          preserveSymlinks: true,
          types: ['node'],
          typeRoots: [at('node_modules/@types')],
          paths: { alcove: [at('../../dist/decorators/index.d.ts')] },
        }
        writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
        writeFileSync(join(folder, 'index.ts'), source)
        return compile('-p', folder)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }

    it('takes any options for a plugin, without a word', () => {
      const source = `
        import bearerAuth from '@fastify/bearer-auth'
        import { use } from 'alcove'
        export const wrong = [use(bearerAuth, { keys: 1 }), use(bearerAuth, { kyes: new Set() })]
      `
      assert.deepEqual(compileWithoutFastify(source), { status: 0, stdout: '' })
    })

    it('has nothing to take decorators from: they are written out', () => {
      const written = `
        import jwt from '@fastify/jwt'
        import { createServer } from 'alcove'
        declare module 'alcove' {
          interface RequestDecorations {
            jwtVerify<T = unknown>(options?: object): Promise<T>
          }
        }
        const server = createServer()
        server.register(jwt, { secret: 'a secret' })
        server.get('/me', (request) => request.jwtVerify<{ id: string }>().then(({ id }) => id))
      `
      assert.deepEqual(compileWithoutFastify(written), { status: 0, stdout: '' })
      const taken = `export type { FastifyRequest } from 'fastify'`
      assert.match(compileWithoutFastify(taken).stdout, /Cannot find module 'fastify'/)
    })
  })
})
