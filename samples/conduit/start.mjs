/** `npm run sample:conduit`: from a fresh clone to a server that listens. */
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const sample = fileURLToPath(new URL('.', import.meta.url))
const repository = fileURLToPath(new URL('../..', import.meta.url))

function npm(directory, ...args) {
  console.log(`> npm ${args.join(' ')}   (in ${directory})`)
  const { status } = spawnSync('npm', [...args, '--silent'], { cwd: directory, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)

npm(repository, 'run', 'build')
if (modified(`${sample}node_modules/.package-lock.json`) < modified(`${sample}package-lock.json`))
  npm(sample, 'ci', '--no-audit', '--no-fund')
npm(sample, 'run', 'build')
await import(new URL('dist/src/main.js', import.meta.url).href)
