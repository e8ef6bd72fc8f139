// Writes dist/cjs: the built modules once more as CommonJS, for tools with a module system of their own (Jest). Node loads the ES
// modules for `require` as well, by the condition `module-sync` of package.json, so that a process has one copy.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformFile } from '@swc/core'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const target = join(dist, 'cjs')

rmSync(target, { recursive: true, force: true })
// npm makes it executable only when it links the package, as samples with packages of their own do, and not after a later build.
chmodSync(join(dist, 'decorators/cli.js'), 0o755)
const files = ['lib', 'decorators'].flatMap((folder) =>
  readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
)
await Promise.all(files.map(write))
const types = readFileSync(new URL('../fastify-types/index.d.ts', import.meta.url), 'utf8')
mkdirSync(join(target, 'fastify-types'))
writeFileSync(join(target, 'fastify-types/index.d.ts'), types.replaceAll("'../dist/lib/", "'../lib/"))
writeFileSync(join(target, 'fastify-types/index.js'), '')
writeFileSync(join(target, 'package.json'), '{ "type": "commonjs" }\n')

async function write(file) {
  const [from, to] = [join(dist, file), join(target, file)]
  mkdirSync(dirname(to), { recursive: true })
  if (file.endsWith('.d.ts')) return cpSync(from, to)
  // The command is a program of its own.
  if (!file.endsWith('.js') || file === join('decorators', 'cli.js') || file.startsWith(join('decorators', 'commands'))) return
  const { code } = await transformFile(from, {
    configFile: false,
    swcrc: false,
    sourceMaps: false,
    jsc: { target: 'es2023', parser: { syntax: 'ecmascript' } },
    module: { type: 'commonjs', ignoreDynamic: true },
  })
  const text = code.replace(/\n *\/\/# sourceMappingURL=.*/, '')
  // Node takes an export of this name for what `require` returns.
  writeFileSync(to, text.includes('"module.exports"') ? `${text}\nmodule.exports = exports["module.exports"]\n` : text)
}
