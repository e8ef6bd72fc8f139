/** A whole application on a PostgreSQL server that is started for it: the sample Conduit, and the same on Fastify and on NestJS. */
import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { here } from '../processes.mjs'

const conduit = join(here, 'conduit')
const sample = join(here, '../samples/conduit')

const modified = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0)

function install(directory) {
  if (modified(join(directory, 'node_modules/.package-lock.json')) >= modified(join(directory, 'package-lock.json'))) return
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] })
}

export async function measureApplication({ runs, quick }) {
  const tsc = join(here, '../node_modules/typescript/bin/tsc')
  for (const directory of [sample, conduit]) {
    install(directory)
    execFileSync(process.execPath, [tsc, '-p', directory], { stdio: 'inherit' })
  }
  const options = JSON.stringify({ runs: runs ?? (quick ? 1 : 3), quick })
  const text = execFileSync('bash', [join(sample, 'tests/with-postgres.sh'), process.execPath, join(conduit, 'run.mjs'), options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (text === '') throw new Error('The application was not measured: there is no PostgreSQL server (Debian: postgresql).')
  return JSON.parse(text)
}
