/**
 * Prints the packages that an installation of alcove brings, as CycloneDX. `npm sbom --omit dev` leaves out those that a development
 * dependency needs too, so the list is made of a package.json and a lock file without development dependencies.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('..', import.meta.url))
const read = (file) => JSON.parse(readFileSync(join(project, file), 'utf8'))

/** Returns the document as text. */
export function sbom() {
  const { devDependencies: _own, scripts: _scripts, ...manifest } = read('package.json')
  const { packages, ...lock } = read('package-lock.json')
  const { '': root, ...others } = packages
  const { devDependencies: _locked, ...rootWithoutDev } = root
  const installed = Object.entries(others).filter(([, { dev, devOptional, peer }]) => !dev && !devOptional && !peer)
  const temporary = mkdtempSync(join(tmpdir(), 'sbom-'))
  try {
    // npm takes the name of the folder for that of the package.
    const folder = join(temporary, manifest.name)
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ ...lock, packages: { '': rootWithoutDev, ...Object.fromEntries(installed) } }),
    )
    const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 }
    return execFileSync('npm', ['sbom', '--package-lock-only', '--omit', 'peer', '--sbom-format', 'cyclonedx'], options)
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(sbom())
