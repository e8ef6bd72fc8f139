/** What the measurements need besides the installed packages: compiled servers that import alcove by its name, and a certificate. */
import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { here } from './processes.mjs'

const project = join(here, '..')

/** Lets the servers in `directory` import this alcove, as an application does. */
export function link(directory, alcove) {
  const place = join(directory, 'node_modules/alcove')
  rmSync(place, { force: true, recursive: true })
  symlinkSync(alcove, place, 'junction')
}

export function prepare() {
  link(here, project)
  execFileSync(process.execPath, [join(project, 'node_modules/typescript/bin/tsc'), '-p', here], { stdio: 'inherit' })
}

/** Writes a key and a self-signed certificate to dist/. */
export function makeCertificate() {
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  execFileSync('openssl', ['req', ...options, '-keyout', join(here, 'dist/key.pem'), '-out', join(here, 'dist/certificate.pem')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}
