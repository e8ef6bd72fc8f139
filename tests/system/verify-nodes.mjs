/**
 * `npm run verify-nodes [version…]`: tries out alcove's classes of requests and responses in releases of Node, and writes those in which they
 * do as Node's own to lib/util/verified-nodes.ts. By default the releases of the supported lines that are not listed there.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const file = new URL('../../lib/util/verified-nodes.ts', import.meta.url)
const program = new URL('../../dist/tests/fixtures/verify-node.js', import.meta.url).pathname
const { verifiedNodes } = await import('../../dist/lib/util/verified-nodes.js')

/** The even lines from 20.19 on. */
function isSupported(version) {
  const [major, minor] = version.split('.').map(Number)
  return !version.includes('-') && major % 2 === 0 && (major > 20 || (major === 20 && minor >= 19))
}

async function releases() {
  const { stdout } = await run('npm', ['view', 'node', 'versions', '--json'])
  return JSON.parse(stdout).filter((version) => isSupported(version) && !Object.hasOwn(verifiedNodes, `v${version}`))
}

const byVersion = (one, other) => one.localeCompare(other, 'en', { numeric: true })
const versions = process.argv.length > 2 ? process.argv.slice(2) : await releases()
const found = new Map(Object.entries(verifiedNodes))
let failed = 0
for (const version of versions.sort(byVersion)) {
  try {
    const { stdout } = await run('npx', ['-y', '-p', `node@${version}`, 'node', program])
    const { version: own, request, response, inner, tryOut } = JSON.parse(stdout)
    const isGood = tryOut.request && tryOut.response && tryOut.fields && inner !== undefined
    console.log(`${own} ${isGood ? 'is verified' : `differs: ${JSON.stringify(tryOut)}`}`)
    if (isGood) found.set(own, { request, response, inner })
    else found.delete(own)
  } catch (error) {
    failed++
    console.error(`${version} could not be tried out: ${error.stderr || error.message}`)
  }
}
const source = await readFile(file, 'utf8')
const rows = [...found]
  .sort(([one], [other]) => byVersion(one, other))
  .map(
    ([version, { request, response, inner }]) => `  '${version}': { request: '${request}', response: '${response}', inner: '${inner}' },\n`,
  )
await writeFile(file, source.replace(/= \{[^]*\}\n$/, `= {\n${rows.join('')}}\n`))
if (failed > 0) process.exitCode = 1
