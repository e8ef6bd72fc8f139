/**
 * Checks what comes with an installation: each package that the users of alcove install has one of the licences that this list allows, all
 * of them together weigh at most 15 MB, and `npm audit` knows of no vulnerability of them from moderate upwards.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sbom } from './sbom.mjs'

const allowed = new Set(['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'])
const LIMIT = 15_000_000
const project = fileURLToPath(new URL('..', import.meta.url))
const npm = (...args) =>
  execFileSync('npm', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 })

const { components } = JSON.parse(sbom())
const refused = components.flatMap(({ name, version, licenses = [] }) => {
  const named = licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression)
  return named.length > 0 && named.every((id) => allowed.has(id)) ? [] : [`${name}@${version} (${named.join(', ') || 'no licence'})`]
})

const folders = npm('ls', '--omit', 'dev', '--omit', 'peer', '--all', '--parseable').trim().split('\n').slice(1)
const packed = JSON.parse(npm('pack', '--dry-run', '--ignore-scripts', '--json'))
const own = (Array.isArray(packed) ? packed[0] : Object.values(packed)[0]).unpackedSize
const weight = folders.reduce((sum, folder) => sum + sizeOf(folder), own)
console.log(
  `dependencies: ${components.length} packages, ${(weight / 1e6).toFixed(1)} MB with alcove itself (${(own / 1e6).toFixed(1)} MB)`,
)

/** The bytes of a package, without the packages inside of it, which stand in the list themselves. */
function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + sizeOf(path)
    return entry.isFile() ? sum + statSync(path).size : sum
  }, 0)
}

const { license } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
if (refused.length > 0) console.error(`Not allowed beside a package under ${license}: ${refused.join(', ')}`)
if (weight > LIMIT) console.error(`An installation weighs more than ${LIMIT / 1e6} MB.`)
process.exitCode = refused.length > 0 || weight > LIMIT || hasVulnerabilities() ? 1 : 0

function hasVulnerabilities() {
  const { status, stdout, stderr } = spawnSync('npm', ['audit', '--omit', 'dev', '--audit-level', 'moderate'], {
    cwd: project,
    encoding: 'utf8',
  })
  // Some registries and mirrors have none.
  if (/audit endpoint|ENOAUDIT/.test(stderr)) {
    console.warn('\n*** NOT AUDITED: the registry has no audits. ***\n')
    return false
  }
  console.log(stdout.trim())
  return status !== 0
}
